// SPDX-License-Identifier: Apache-2.0
// Error: why something could not be done, in the words that the user will read.
#pragma once

#include <string>
#include <string_view>

namespace agentctl {

// What the user can do about it decides the kind; manager/exit_status.h maps kinds to exit codes.
enum class ErrorKind {
  usage,        // the command line is wrong
  policy,       // a policy file or a combination of options is wrong, or refused
  environment,  // this machine lacks something: bwrap, user namespaces, a controller
  bus,          // systemd or its bus answered with an error, or not at all
  system,       // a system call failed
  internal,     // a fault of ours
};

// A message is a lower-case fragment, outermost context first, cause last, without a full stop; names and paths
// stand in single quotes. `hint` is empty unless the user can act.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  int sys_errno = 0;  // 0 when no system call is to blame
  std::string message;
  std::string hint;

  void prepend(std::string_view context);
  Error&& with_hint(std::string_view text) &&;
};

[[nodiscard]] Error make_error(ErrorKind kind, std::string message, std::string hint = {});

// "cannot open '/x': No such file or directory", from an explicit errno value or from errno itself.
[[nodiscard]] Error errno_error(int sys_errno, std::string_view context);
[[nodiscard]] Error errno_error(std::string_view context);

}  // namespace agentctl
