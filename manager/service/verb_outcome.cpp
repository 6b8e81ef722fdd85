// SPDX-License-Identifier: Apache-2.0
#include "manager/service/verb_outcome.h"

#include "base/text.h"
#include "manager/exit_status.h"
#include "manager/service/session_properties.h"

namespace agentctl::manager::service {
namespace {

constexpr std::string_view kPrefix = "agentctl: ";
constexpr std::string_view kHint = "hint: ";

const char* name_of(int status) {
  switch (status) {
    case kExitUsage:
      return kInvalidArgument;
    case kExitPolicy:
      return kPolicy;
    case kExitCannotExecute:
      return kCannotExecute;
    case kExitNotFound:
      return kCommandNotFound;
    default:
      return kFailed;
  }
}

}  // namespace

std::string last_message(std::string_view errors) {
  std::string message;
  std::string hint;
  for_each_part(errors, '\n', [&](std::string_view line) {
    if (line.starts_with(kPrefix)) {
      message = line.substr(kPrefix.size());
      hint.clear();
    } else if (line.starts_with(kHint)) {
      hint = line.substr(kHint.size());
    }
  });
  if (!message.empty() && !hint.empty()) message += cat(" (", hint, ")");
  return bus_text(message);
}

std::optional<BusError> error_of(const VerbOutcome& outcome) {
  std::string message = last_message(outcome.errors);
  if (outcome.timed_out) {
    return BusError{kTimedOut, message.empty() ? "it did not end in time" : cat("it did not end in time: ", message)};
  }
  if (outcome.status == kExitSuccess) return std::nullopt;
  if (message.empty()) message = cat("agentctl ended with status ", outcome.status);
  return BusError{name_of(outcome.status), std::move(message)};
}

}  // namespace agentctl::manager::service
