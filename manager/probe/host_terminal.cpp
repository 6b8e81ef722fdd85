// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/host_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "base/file.h"

namespace agentctl::probe {
namespace {

constexpr std::size_t kMostPrinted = 4U << 20;
constexpr winsize kSize = {50, 200, 0, 0};

// What an item prints, and what of it would reach an emulator.
constexpr std::pair<const char*, std::string_view> kSequences[] = {
    {"clipboard", "\033]52;"},     {"title-question", "\033[21t"}, {"status-question", "\033P$q"},
    {"notification", "\033]777;"}, {"answerback", "\005"},
};

}  // namespace

Result<HostTerminal> HostTerminal::open() {
  UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  if (!master.valid() || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0 ||
      ::ptsname_r(master.get(), name, sizeof name) != 0) {
    return errno_error("cannot make a pty");
  }
  HostTerminal terminal(std::move(master), AGENTCTL_TRY(open_at(AT_FDCWD, name, O_RDWR | O_NOCTTY)));
  ::ioctl(terminal.slave(), TIOCSWINSZ, &kSize);
  if (::tcgetattr(terminal.slave(), &terminal.attributes_) != 0) return errno_error("cannot read the modes of a pty");
  return terminal;
}

std::string HostTerminal::read() {
  std::string output;
  char block[8192];
  pollfd readable{master_.get(), POLLIN, 0};
  while (::poll(&readable, 1, 0) == 1) {
    const ssize_t count = ::read(master_.get(), block, sizeof block);
    if (count <= 0) break;
    output.append(block, static_cast<std::size_t>(count));
  }
  if (printed_.size() < kMostPrinted) printed_ += output;
  return output;
}

void HostTerminal::type(std::string_view keys) { (void)write_all(master_.get(), keys); }

void HostTerminal::look(Evidence& evidence) {
  for (const auto& [item, sequence] : kSequences) {
    if (printed_.find(sequence) != std::string::npos) evidence.effects.insert(item);
  }
  if ((::fcntl(slave_.get(), F_GETFL) & O_NONBLOCK) != 0) evidence.effects.insert("non-blocking");
  termios now{};
  if (::tcgetattr(slave_.get(), &now) != 0) return;
  if ((now.c_lflag & ECHO) != (attributes_.c_lflag & ECHO)) evidence.effects.insert("echo-off");
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON);  // what was typed counts without a line's end
  now.c_cc[VMIN] = 0;
  now.c_cc[VTIME] = 0;
  ::tcsetattr(slave_.get(), TCSANOW, &now);
  char typed[256];
  const ssize_t count = ::read(slave_.get(), typed, sizeof typed);
  const std::string_view keys(typed, count > 0 ? static_cast<std::size_t>(count) : 0);
  if (keys.find('Z') != std::string_view::npos) evidence.effects.insert("tiocsti");
  if (keys.find('Y') != std::string_view::npos) evidence.effects.insert("tiocsti-high-bits");
}

}  // namespace agentctl::probe
