// SPDX-License-Identifier: Apache-2.0
#include "base/child_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <doctest/doctest.h>

#include "base/file.h"

namespace agentctl {
namespace {

constexpr int kDeadlineMsec = 10'000;

[[noreturn]] void stay() {
  while (true) ::pause();
}

ChildProcess fork_one_that_stays() {
  auto child = ChildProcess::fork(stay);
  REQUIRE(child);
  return std::move(*child);
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

bool wait_readable(int fd) {
  pollfd ready{fd, POLLIN, 0};
  return ::poll(&ready, 1, kDeadlineMsec) == 1;
}

// What it says once its parent has ended and been reaped; empty when the kernel ended it together with its parent.
std::string last_words_of_an_orphan(ChildProcess::DiesWithParent when) {
  auto life = make_pipe();
  auto words = make_pipe();
  REQUIRE(life);
  REQUIRE(words);
  const pid_t middle = ::fork();
  if (middle == 0) {
    const auto child = ChildProcess::fork(
        [&] {
          life->write_end.reset();
          char byte = 0;
          (void)!::read(life->read_end.get(), &byte, 1);
          (void)!::write(words->write_end.get(), "on my own", 9);
        },
        when);
    ::_exit(child ? 0 : 1);
  }
  words->write_end.reset();
  int status = -1;
  REQUIRE(::waitpid(middle, &status, 0) == middle);
  CHECK(status == 0);
  life->write_end.reset();
  REQUIRE(wait_readable(words->read_end.get()));
  char text[16];
  const ssize_t size = ::read(words->read_end.get(), text, sizeof text);
  return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
}

}  // namespace

TEST_SUITE("child_process") {
  TEST_CASE("a child that is destroyed is killed and reaped") {
    pid_t pid = 0;
    {
      const ChildProcess child = fork_one_that_stays();
      pid = child.pid();
      CHECK(exists(pid));
    }
    CHECK_FALSE(exists(pid));
  }

  TEST_CASE("a child whose work returns ends with status 0, and its pidfd tells so") {
    auto child = ChildProcess::fork([] {});
    REQUIRE(child);
    CHECK(wait_readable(child->pidfd()));
    CHECK(child->wait() == 0);
    CHECK(child->pid() == 0);
  }

  TEST_CASE("how a child ended is told once") {
    auto child = ChildProcess::fork([] { ::_exit(7); });
    REQUIRE(child);
    const int status = child->wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    CHECK(child->wait() == 0);
  }

  TEST_CASE("a child that is killed can still be asked how it ended") {
    ChildProcess child = fork_one_that_stays();
    child.kill();
    const int status = child.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);
  }

  TEST_CASE("a child that is moved away lives on with its new owner") {
    ChildProcess first = fork_one_that_stays();
    const pid_t pid = first.pid();
    {
      const ChildProcess second = std::move(first);
      CHECK(second.pid() == pid);
      CHECK(first.pid() == 0);  // NOLINT: what is left is the point
      CHECK(first.pidfd() == -1);
      first.kill();  // nobody's
      CHECK(first.wait() == 0);
      CHECK(exists(pid));
    }
    CHECK_FALSE(exists(pid));
  }

  TEST_CASE("a child that another takes the place of is killed and reaped") {
    ChildProcess child = fork_one_that_stays();
    const pid_t old = child.pid();
    child = fork_one_that_stays();
    CHECK_FALSE(exists(old));
    CHECK(exists(child.pid()));
  }

  TEST_CASE("a child dies with its parent") {
    CHECK(last_words_of_an_orphan(ChildProcess::DiesWithParent::at_once).empty());
  }

  TEST_CASE("a child that ties its life to its parent's itself is left to do so") {
    CHECK(last_words_of_an_orphan(ChildProcess::DiesWithParent::itself) == "on my own");
  }
}

}  // namespace agentctl
