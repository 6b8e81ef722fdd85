// SPDX-License-Identifier: Apache-2.0
// Receipt: what a session used and how it ended; one line for the user, one JSON object for the state directory. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "manager/record.h"
#include "manager/session_outcome.h"

namespace agentctl::manager {

// Of many processes that had to be killed, so many are named to people; the JSON names all.
inline constexpr std::size_t kMostNamed = 8;

// For people: milliseconds below a second, tenths below a minute, seconds above.
[[nodiscard]] std::string format_rounded(std::uint64_t usec);
[[nodiscard]] std::string describe_surface(std::uint64_t count);  // "3 files that the host may run"
[[nodiscard]] std::string receipt_line(const Record& record, const SessionOutcome& outcome);
[[nodiscard]] std::string receipt_json(const Record& record, const SessionOutcome& outcome);

}  // namespace agentctl::manager
