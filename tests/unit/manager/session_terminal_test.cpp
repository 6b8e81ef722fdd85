// SPDX-License-Identifier: Apache-2.0
#include "manager/session_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/file.h"
#include "manager/streams.h"

namespace agentctl::manager {
namespace {

// A session's terminal whose slave the test holds, as an agent would.
class OpenTerminal {
 public:
  OpenTerminal() {
    ::signal(SIGPIPE, SIG_IGN);
    auto opened = SessionTerminal::open(std::nullopt, {30, 90, 0, 0});
    REQUIRE(opened.has_value());
    terminal = std::move(*opened);
    slave.reset(::fcntl(terminal->slave(), F_DUPFD_CLOEXEC, 3));
    termios raw{};
    REQUIRE(::tcgetattr(slave.get(), &raw) == 0);
    attributes = raw;
    ::cfmakeraw(&raw);
    REQUIRE(::tcsetattr(slave.get(), TCSANOW, &raw) == 0);
    terminal->close_slave();
    terminal->connect(loop, [this](std::string_view output) { seen += output; });
  }

  template <typename Done>
  void turn_until(Done done) {
    bool is_late = false;
    const auto timer = loop.after(5'000'000, [&] { is_late = true; });
    REQUIRE(loop.run_until([&] { return is_late || done(); }).has_value());
    loop.cancel(timer);
    REQUIRE_FALSE(is_late);
  }

  EventLoop loop;
  std::unique_ptr<SessionTerminal> terminal;
  UniqueFd slave;
  termios attributes{};
  std::string seen;
};

}  // namespace

TEST_SUITE("session terminal") {
  TEST_CASE("a new terminal has the size that was asked for, lines, echo and UTF-8") {
    OpenTerminal open;
    winsize size{};
    REQUIRE(::ioctl(open.slave.get(), TIOCGWINSZ, &size) == 0);
    CHECK(size.ws_row == 30);
    CHECK(size.ws_col == 90);
    CHECK((open.attributes.c_lflag & (ICANON | ECHO | ISIG)) == (ICANON | ECHO | ISIG));
    CHECK((open.attributes.c_iflag & IUTF8) != 0);
  }

  TEST_CASE("what is printed is read, and nothing while it is held") {
    OpenTerminal open;
    REQUIRE(write_all(open.slave.get(), "one").has_value());
    open.turn_until([&] { return open.seen == "one"; });
    open.terminal->hold(true);
    REQUIRE(write_all(open.slave.get(), "two").has_value());
    bool has_waited = false;
    open.loop.after(20'000, [&] { has_waited = true; });
    open.turn_until([&] { return has_waited; });
    CHECK(open.seen == "one");
    open.terminal->hold(false);
    open.turn_until([&] { return open.seen == "onetwo"; });
  }

  TEST_CASE("what is typed arrives, however much and however late it is read") {
    OpenTerminal open;
    const std::string typed(60'000, 'k');
    open.terminal->type(typed);
    std::string arrived;
    open.turn_until([&] {
      char block[4096];
      pollfd readable{open.slave.get(), POLLIN, 0};
      while (::poll(&readable, 1, 0) > 0) {
        const ssize_t count = ::read(open.slave.get(), block, sizeof block);
        REQUIRE(count > 0);
        arrived.append(block, static_cast<std::size_t>(count));
      }
      return arrived.size() >= typed.size();
    });
    CHECK(arrived == typed);
  }

  TEST_CASE("the end of the last slave is the end, after what was printed last") {
    OpenTerminal open;
    REQUIRE(write_all(open.slave.get(), "last words").has_value());
    open.slave.reset();
    open.terminal->read_rest();
    CHECK(open.seen == "last words");
    open.terminal->type("x");
    open.terminal->set_size({1, 1, 0, 0});
    CHECK(open.terminal->size().ws_row == 0);
  }

  TEST_CASE("without a caller there is a terminal of a size, one for all three streams, and nothing holds it up") {
    auto streams = Streams::open_detached({0, 0, 0, 0});
    REQUIRE(streams.has_value());
    CHECK(streams->is_terminal());
    CHECK(::isatty(streams->child_input()) == 1);
    CHECK(streams->child_output() == streams->child_error());
    winsize size{};
    REQUIRE(::ioctl(streams->child_input(), TIOCGWINSZ, &size) == 0);
    CHECK(size.ws_row == 24);
    CHECK(size.ws_col == 80);
  }
}

}  // namespace agentctl::manager
