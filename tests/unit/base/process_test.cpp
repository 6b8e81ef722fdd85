// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include <doctest/doctest.h>

namespace agentctl {
namespace {

// A session leader that has ended and been reaped, while a member of its session lives until this is destroyed.
class EndedLeader {
 public:
  EndedLeader() {
    REQUIRE(::pipe(life_.data()) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setsid();
      if (::fork() == 0) {
        ::close(life_[1]);
        char byte = 0;
        (void)!::read(life_[0], &byte, 1);  // the end of the file: its maker is done
      }
      ::_exit(0);
    }
    REQUIRE(::waitpid(pid_, nullptr, 0) == pid_);
  }
  ~EndedLeader() {
    ::close(life_[0]);
    ::close(life_[1]);
  }
  EndedLeader(const EndedLeader&) = delete;
  EndedLeader& operator=(const EndedLeader&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  std::array<int, 2> life_{-1, -1};
  pid_t pid_ = -1;
};

}  // namespace

TEST_SUITE("process") {
  TEST_CASE("a process that was reaped is not found, though its number still names its session") {
    const EndedLeader leader;
    const auto pidfd = open_pidfd(leader.pid());
    REQUIRE_FALSE(pidfd);
    CHECK(pidfd.error().sys_errno == ESRCH);
    CHECK_FALSE(identify_process(leader.pid()));
  }

  TEST_CASE("a pidfd of a living process is opened, and that process is alive") {
    CHECK(open_pidfd(::getpid()));
    const auto self = identify_process(::getpid());
    REQUIRE(self);
    CHECK(is_alive(*self));
  }

  TEST_CASE("another process with the same number is not the one that was seen") {
    const auto self = identify_process(::getpid());
    REQUIRE(self);
    CHECK_FALSE(is_alive(ProcessIdentity{self->pid, self->start_time + 1}));
  }
}

}  // namespace agentctl
