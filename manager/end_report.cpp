// SPDX-License-Identifier: Apache-2.0
#include "manager/end_report.h"

#include <cerrno>
#include <charconv>

#include "base/error.h"
#include "base/text.h"
#include "manager/exit_status.h"
#include "manager/receipt.h"

namespace agentctl::manager {
namespace {

// The session's own end decides the status; agentctl's share is only what the agent could not say itself.
int exit_status_of(const SessionOutcome& outcome) {
  if (outcome.cause == EndCause::time_limit) return kExitTimeLimit;
  if (outcome.cause == EndCause::mask_lost) return kExitStartFailed;
  if (outcome.cause == EndCause::exec_failed) {
    return outcome.exec_error == ENOENT || outcome.exec_error == ENOTDIR ? kExitNotFound : kExitCannotExecute;
  }
  return outcome.exit_status;
}

}  // namespace

EndReport report_end(const Record& record, const SessionOutcome& outcome, bool quiet) {
  EndReport report;
  report.exit_status = exit_status_of(outcome);
  if (outcome.cause == EndCause::exec_failed) {
    const Error error = errno_error(outcome.exec_error, cat("cannot execute '", printable(record.command[0]), "'"));
    report.lines.push_back(error.message);
  }
  // On a terminal that the agent draws on there was no room for them before.
  if (!quiet && !record.tty.empty()) {
    report.lines.insert(report.lines.end(), outcome.restored.begin(), outcome.restored.end());
    if (!record.door.denial.empty()) report.lines.push_back(cat("network: ", printable(record.door.denial)));
  }
  report.lines.insert(report.lines.end(), outcome.problems.begin(), outcome.problems.end());
  // The limit that took the agent is told even to the quiet: a bare 137 explains nothing.
  if (!quiet || outcome.oom_killed_agent()) report.lines.push_back(receipt_line(record, outcome));
  return report;
}

std::string serialize(const EndReport& report) {
  std::string text = cat(report.exit_status);
  for (const std::string& line : report.lines) text += cat("\n", line);
  return text;
}

std::optional<EndReport> parse_end_report(std::string_view text) {
  EndReport report;
  const std::size_t cut = std::min(text.find('\n'), text.size());
  const auto [rest, error] = std::from_chars(text.data(), text.data() + cut, report.exit_status);
  if (error != std::errc{} || rest != text.data() + cut) return std::nullopt;
  if (report.exit_status < 0 || report.exit_status > 255) return std::nullopt;
  if (cut == text.size()) return report;
  for_each_part(text.substr(cut + 1), '\n', [&](std::string_view line) { report.lines.push_back(printable(line)); });
  return report;
}

}  // namespace agentctl::manager
