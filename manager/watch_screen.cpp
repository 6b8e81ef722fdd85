// SPDX-License-Identifier: Apache-2.0
#include "manager/watch_screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";

// https://no-color.org: set and not empty.
bool wants_colours() {
  const char* const no_color = ::getenv("NO_COLOR");
  const char* const term = ::getenv("TERM");
  const bool is_dumb = term == nullptr || std::strcmp(term, "dumb") == 0;
  return !is_dumb && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

Result<WatchScreen> WatchScreen::take() {
  if (::isatty(STDOUT_FILENO) == 0) {
    return make_error(ErrorKind::usage, "--watch needs a terminal",
                      "for programs: --watch --json, one line each second");
  }
  termios attributes{};
  const bool has_keys = ::tcgetattr(STDIN_FILENO, &attributes) == 0;
  WatchScreen screen(has_keys ? std::optional(attributes) : std::nullopt);
  screen.enter();
  return screen;
}

WatchScreen::WatchScreen(WatchScreen&& other) noexcept
    : saved_(other.saved_), is_shown_(std::exchange(other.is_shown_, false)) {}

WatchScreen::~WatchScreen() { leave(); }

void WatchScreen::enter() {
  if (std::exchange(is_shown_, true)) return;
  if (saved_) {
    termios attributes = *saved_;
    attributes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    attributes.c_cc[VMIN] = 1;
    attributes.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &attributes);
  }
  (void)write_all(STDOUT_FILENO, kEnter);
}

void WatchScreen::leave() {
  if (!std::exchange(is_shown_, false)) return;
  (void)write_all(STDOUT_FILENO, kLeave);
  if (saved_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &*saved_);
}

Window WatchScreen::window() const {
  Window window;
  window.has_colours = wants_colours();
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    window.columns = size.ws_col;
    window.rows = size.ws_row;
  }
  return window;
}

// Drawn over what is there, so that nothing flickers; what is left of the old picture is wiped.
void WatchScreen::show(const std::vector<std::string>& lines) const {
  std::string text = "\x1b[H";
  for (std::size_t at = 0; at < lines.size(); ++at) text += cat(at > 0 ? "\r\n" : "", lines[at], "\x1b[K");
  text += "\x1b[J";
  (void)write_all(STDOUT_FILENO, text);
}

}  // namespace agentctl::manager
