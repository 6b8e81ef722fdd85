// SPDX-License-Identifier: Apache-2.0
// What a session's end means to whoever sat at it: the exit status and the lines to say. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/record.h"
#include "manager/session_outcome.h"

namespace agentctl::manager {

struct EndReport {
  int exit_status = 0;
  std::vector<std::string> lines;  // fit for a terminal
};

[[nodiscard]] EndReport report_end(const Record& record, const SessionOutcome& outcome, bool quiet);

// As it is sent to attached terminals: the status, then a line of text each. A reader takes nothing on trust.
[[nodiscard]] std::string serialize(const EndReport& report);
[[nodiscard]] std::optional<EndReport> parse_end_report(std::string_view text);

}  // namespace agentctl::manager
