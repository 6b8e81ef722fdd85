// SPDX-License-Identifier: Apache-2.0
// How a verb of agentctl that ran as a child ended, and the D-Bus error that this is. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentctl::manager::service {

// Names of our own for what a call may fail with; they are API.
inline constexpr const char* kNoSuchSession = "org.agentctl.Error.NoSuchSession";
inline constexpr const char* kAmbiguous = "org.agentctl.Error.Ambiguous";
inline constexpr const char* kInvalidArgument = "org.agentctl.Error.InvalidArgument";
inline constexpr const char* kPolicy = "org.agentctl.Error.Policy";
inline constexpr const char* kCannotExecute = "org.agentctl.Error.CannotExecute";
inline constexpr const char* kCommandNotFound = "org.agentctl.Error.CommandNotFound";
inline constexpr const char* kTimedOut = "org.agentctl.Error.TimedOut";
inline constexpr const char* kBusy = "org.agentctl.Error.Busy";
inline constexpr const char* kFailed = "org.agentctl.Error.Failed";

struct BusError {
  std::string name;
  std::string text;
  friend bool operator==(const BusError&, const BusError&) = default;
};

struct VerbOutcome {
  int status = 0;          // as a shell gives it: 128+n for a signal
  bool timed_out = false;  // it was killed
  std::string output;
  std::string errors;  // the end of what it wrote on standard error
};

// None where it has succeeded.
[[nodiscard]] std::optional<BusError> error_of(const VerbOutcome& outcome);

// The last "agentctl: …" of `errors` with its hint, in one line: "cannot do this: cause (hint)".
[[nodiscard]] std::string last_message(std::string_view errors);

}  // namespace agentctl::manager::service
