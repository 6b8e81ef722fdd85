// SPDX-License-Identifier: Apache-2.0
// How large a record, and a receipt, may be to be read: it names the whole command and every hidden file, of which a
// project may have thousands with long names. One that is not read is a session that nobody sees or can stop.
#pragma once

#include <cstddef>

namespace agentctl::manager {

inline constexpr std::size_t kMostRecordBytes = 256U << 20;

}  // namespace agentctl::manager
