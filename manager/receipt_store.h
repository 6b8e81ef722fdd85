// SPDX-License-Identifier: Apache-2.0
// Where receipts are kept: one file a session, "1a2b3c4d.json", in the state directory. The last kMostReceipts are; the
// oldest goes when a new one comes, and the log of its session with it.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "manager/record.h"
#include "manager/session_outcome.h"

namespace agentctl::manager {

inline constexpr std::size_t kMostReceipts = 200;

// `directory` is that of open_receipts_dir().
[[nodiscard]] Result<void> store_receipt(int directory, const Record& record, const SessionOutcome& outcome);

}  // namespace agentctl::manager
