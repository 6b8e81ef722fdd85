// SPDX-License-Identifier: Apache-2.0
#include "manager/notice.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <string>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {

namespace {

constexpr int kReaderMsec = 1000;

// A reader that does not read must not keep the end of a session from being told to everybody else.
void say(std::string_view text) {
  while (!text.empty()) {
    pollfd writable{2, POLLOUT, 0};
    if (::poll(&writable, 1, kReaderMsec) <= 0) return;
    const std::string_view part = text.substr(0, PIPE_BUF);  // as much as a writable pipe takes without blocking
    if (!write_all(2, part)) return;
    text.remove_prefix(part.size());
  }
}

}  // namespace

void notice(std::string_view text) { say(cat("agentctl: ", text, "\n")); }

void print_error(const Error& error) {
  std::string text = cat("agentctl: ", error.message, "\n");
  if (!error.hint.empty()) text += cat("hint: ", error.hint, "\n");
  say(text);
}

}  // namespace agentctl::manager
