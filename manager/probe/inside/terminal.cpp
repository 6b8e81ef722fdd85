// SPDX-License-Identifier: Apache-2.0
// Attempts on the terminal that the user sits at. They use descriptor 0: /dev/tty is not needed for any of them.
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

constexpr unsigned long kHighBits = 0xabcd00000000UL;  // a filter compares 64 bits, the kernel reads 32

void type(Outcome& outcome, unsigned long high_bits, char character) {
  if (::isatty(0) == 0) return skip(outcome, "standard input is no terminal");
  by_success(outcome, ::syscall(SYS_ioctl, 0, TIOCSTI | high_bits, &character));
}

void tiocsti(Outcome& outcome) { type(outcome, 0, 'Z'); }
void tiocsti_high_bits(Outcome& outcome) { type(outcome, kHighBits, 'Y'); }

// On /dev/null, where a kernel that is asked says that it is no terminal and does nothing.
void ask_null(Outcome& outcome, unsigned long request) {
  const int fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (fd < 0) return skip(outcome, "/dev/null cannot be opened");
  int zero = 0;
  by_filter(outcome, ::syscall(SYS_ioctl, fd, request, &zero));
}

void tioclinux(Outcome& outcome) { ask_null(outcome, 0x541c); }
void tioclinux_high_bits(Outcome& outcome) { ask_null(outcome, 0x541c | kHighBits); }
void tioccons(Outcome& outcome) { ask_null(outcome, 0x541d); }
void tiocsetd(Outcome& outcome) { ask_null(outcome, 0x5423); }

// It takes the byte if it is the host half's: in a devpts of its own the same number names another terminal.
void other_terminal(Outcome& outcome) {
  if (!is_told("terminal")) return skip(outcome, "no other terminal was made");
  const int fd = ::open(told("terminal"), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return by_success(outcome, -1);
  by_success(outcome, ::write(fd, "Z", 1));
}

void non_blocking(Outcome& outcome) {
  const int flags = ::fcntl(0, F_GETFL);
  by_success(outcome, flags < 0 ? -1 : ::fcntl(0, F_SETFL, flags | O_NONBLOCK));
}

void echo_off(Outcome& outcome) {
  termios attributes;
  if (::tcgetattr(0, &attributes) != 0) return skip(outcome, "standard input is no terminal");
  attributes.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  by_success(outcome, ::tcsetattr(0, TCSANOW, &attributes));
}

void say(Outcome& outcome, const char* sequence) {
  const auto length = static_cast<ssize_t>(std::strlen(sequence));
  if (::write(1, sequence, static_cast<std::size_t>(length)) != length) return by_success(outcome, -1);
  open_wall(outcome, "written");
}

// Each would do something to the user's terminal emulator; the host half's only looks for it.
void clipboard(Outcome& outcome) { say(outcome, "\033]52;c;Y2FuYXJ5\a"); }
void title_question(Outcome& outcome) { say(outcome, "\033[21t"); }
void status_question(Outcome& outcome) { say(outcome, "\033P$qm\033\\"); }
void notification(Outcome& outcome) { say(outcome, "\033]777;notify;canary;canary\a"); }
void answerback(Outcome& outcome) { say(outcome, "\005"); }

constexpr Attempt kAttempts[] = {
    {"tiocsti", tiocsti},
    {"tiocsti-high-bits", tiocsti_high_bits},
    {"tioclinux", tioclinux},
    {"tioclinux-high-bits", tioclinux_high_bits},
    {"tioccons", tioccons},
    {"tiocsetd", tiocsetd},
    {"other-terminal", other_terminal},
    {"clipboard", clipboard},
    {"title-question", title_question},
    {"status-question", status_question},
    {"notification", notification},
    {"answerback", answerback},
    {"non-blocking", non_blocking},
    {"echo-off", echo_off},
};

// Two forks and a session of its own: what ends with its terminal or its parent alone would miss it.
void survivor(Outcome& outcome) {
  constexpr unsigned kLongestSeconds = 60;
  if (is_told("stays")) return skip(outcome, "the session goes on, and may keep it");
  const pid_t middle = ::fork();
  if (middle == 0) {
    ::setsid();
    ::signal(SIGHUP, SIG_IGN);
    if (::fork() == 0) {
      ::alarm(kLongestSeconds);
      while (true) ::pause();
    }
    ::_exit(0);
  }
  ::waitpid(middle, nullptr, 0);  // from here on it is there, or was not allowed to be
  open_wall(outcome, "left running");
}

void group_signal(Outcome& outcome) {
  ::signal(SIGTERM, SIG_IGN);
  by_success(outcome, ::kill(0, SIGTERM));
}

constexpr Attempt kLast[] = {{"survivor", survivor}, {"group-signal", group_signal}};

}  // namespace

AttemptList terminal_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }
AttemptList last_attempts() { return {kLast, sizeof kLast / sizeof kLast[0]}; }

}  // namespace agentctl::probe
