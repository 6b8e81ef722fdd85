// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace agentctl {

void Error::prepend(std::string_view context) {
  std::string text(context);
  text += ": ";
  message.insert(0, text);
}

Error&& Error::with_hint(std::string_view text) && {
  hint = text;
  return std::move(*this);
}

Error make_error(ErrorKind kind, std::string message, std::string hint) {
  return Error{kind, 0, std::move(message), std::move(hint)};
}

Error errno_error(int sys_errno, std::string_view context) {
  std::string message(context);
  message += ": ";
  message += strerrordesc_np(sys_errno) != nullptr ? strerrordesc_np(sys_errno) : "unknown error";
  return Error{ErrorKind::system, sys_errno, std::move(message), {}};
}

Error errno_error(std::string_view context) { return errno_error(errno, context); }

}  // namespace agentctl
