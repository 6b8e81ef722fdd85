// SPDX-License-Identifier: Apache-2.0
#include "manager/pump.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <optional>

#include <doctest/doctest.h>

#include "base/file.h"

namespace agentctl::manager {
namespace {

std::string every_byte(std::size_t size) {
  std::string text;
  for (std::size_t at = 0; at < size; ++at) text += static_cast<char>((at * 7 + at / 256) & 0xffU);
  return text;
}

void set_non_blocking(int fd) { REQUIRE(::fcntl(fd, F_SETFL, O_NONBLOCK) == 0); }

// A pump between two pipes, of which the test holds the outer ends.
class PumpedPipes {
 public:
  PumpedPipes() {
    ::signal(SIGPIPE, SIG_IGN);
    auto in = make_pipe();
    auto out = make_pipe();
    REQUIRE(in.has_value());
    REQUIRE(out.has_value());
    for (const int fd : {in->read_end.get(), in->write_end.get(), out->read_end.get(), out->write_end.get()}) {
      set_non_blocking(fd);
    }
    to_pump = std::move(in->write_end);
    from_pump = std::move(out->read_end);
    pump.emplace(loop, std::move(in->read_end), std::move(out->write_end));
    pump->start();
  }

  // Goes on until the pump has no more to do, or at most so many rounds.
  void turn(int rounds = 1) {
    for (int round = 0; round < rounds && !pump->finished(); ++round) {
      bool woken = false;
      const auto timer = loop.after(20'000, [&] { woken = true; });
      int passes = 0;
      REQUIRE(loop.run_until([&] { return woken || pump->finished() || passes++ > 0; }).has_value());
      loop.cancel(timer);
    }
  }

  std::string read_available() {
    std::string text(1 << 20, '\0');
    const ssize_t count = ::read(from_pump.get(), text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }

  // Sends all of `data`, reading at the other end only when `reads`.
  std::string carry(std::string data) {
    std::string arrived;
    for (int round = 0; round < 100'000 && !pump->finished(); ++round) {
      if (!data.empty()) {
        const ssize_t count = ::write(to_pump.get(), data.data(), data.size());
        if (count > 0) data.erase(0, static_cast<std::size_t>(count));
        if (data.empty()) to_pump.reset();
      }
      turn();
      arrived += read_available();
    }
    return arrived + read_available();
  }

  EventLoop loop;
  UniqueFd to_pump;
  UniqueFd from_pump;
  std::optional<Pump> pump;
};

bool at_end(int fd) {
  char byte = 0;
  return ::read(fd, &byte, 1) == 0;
}

}  // namespace

TEST_SUITE("pump") {
  TEST_CASE("every byte arrives, unchanged and in order, and the end of file after them") {
    PumpedPipes pipes;
    const std::string sent = every_byte(3'000'001);
    CHECK(pipes.carry(sent) == sent);
    CHECK(pipes.pump->finished());
    CHECK(at_end(pipes.from_pump.get()));
  }

  TEST_CASE("an empty source passes its end on") {
    PumpedPipes pipes;
    pipes.to_pump.reset();
    pipes.turn(10);
    CHECK(pipes.pump->finished());
    CHECK(at_end(pipes.from_pump.get()));
  }

  TEST_CASE("a sink that nobody reads holds the writer up and loses nothing") {
    PumpedPipes pipes;
    const std::string block = every_byte(65536);
    std::size_t sent = 0;
    for (int round = 0; round < 200; ++round) {
      const ssize_t count = ::write(pipes.to_pump.get(), block.data(), block.size());
      if (count > 0) sent += static_cast<std::size_t>(count);
      pipes.turn();
    }
    CHECK(sent < 400'000);  // two pipes and the pump's own room
    CHECK(::write(pipes.to_pump.get(), "x", 1) == -1);
    CHECK(errno == EAGAIN);
    pipes.to_pump.reset();
    std::size_t arrived = 0;
    for (int round = 0; round < 1000 && !pipes.pump->finished(); ++round) {
      arrived += pipes.read_available().size();
      pipes.turn();
    }
    arrived += pipes.read_available().size();
    CHECK(arrived == sent);
  }

  TEST_CASE("a sink whose reader is gone closes the source, so that the writer learns of it") {
    PumpedPipes pipes;
    pipes.from_pump.reset();
    pipes.turn(10);
    CHECK(pipes.pump->finished());
    CHECK(::write(pipes.to_pump.get(), "x", 1) == -1);
    CHECK(errno == EPIPE);
  }

  TEST_CASE("a reader that leaves in the middle ends the pump as well") {
    PumpedPipes pipes;
    REQUIRE(::write(pipes.to_pump.get(), "first\n", 6) == 6);
    pipes.turn(10);
    CHECK(pipes.read_available() == "first\n");
    pipes.from_pump.reset();
    (void)!::write(pipes.to_pump.get(), "second\n", 7);
    pipes.turn(10);
    CHECK(pipes.pump->finished());
  }

  TEST_CASE("drain passes on what is there and does not wait for writers that live on") {
    PumpedPipes pipes;
    REQUIRE(::write(pipes.to_pump.get(), "rest", 4) == 4);
    pipes.pump->drain(5'000'000);
    CHECK(pipes.pump->finished());
    CHECK(pipes.read_available() == "rest");
  }

  TEST_CASE("the end of a pty, which is an error of its master, ends the pump") {
    EventLoop loop;
    auto out = make_pipe();
    REQUIRE(out.has_value());
    UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    REQUIRE(::unlockpt(master.get()) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::setsid();
      const int slave = ::ioctl(master.get(), TIOCGPTPEER, O_RDWR);  // becomes the controlling terminal
      (void)!::write(slave, "last words", 10);
      ::_exit(0);
    }
    Pump pump(loop, std::move(master), std::move(out->write_end));
    pump.start();
    ::waitpid(child, nullptr, 0);
    bool woken = false;
    loop.after(2'000'000, [&] { woken = true; });
    REQUIRE(loop.run_until([&] { return woken || pump.finished(); }).has_value());
    CHECK(pump.finished());
    char text[64] = {};
    CHECK(::read(out->read_end.get(), text, sizeof text) == 10);
    CHECK(std::string(text) == "last words");
  }

  TEST_CASE("drain gives up at its deadline when nobody reads") {
    PumpedPipes pipes;
    const std::string block = every_byte(65536);
    for (int round = 0; round < 50; ++round) {
      (void)!::write(pipes.to_pump.get(), block.data(), block.size());
      pipes.turn();
    }
    const std::uint64_t begin = monotonic_usec();
    pipes.pump->drain(50'000);
    CHECK(pipes.pump->finished());
    CHECK(monotonic_usec() - begin < 5'000'000);
  }
}

}  // namespace agentctl::manager
