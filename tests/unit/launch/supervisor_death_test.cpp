// SPDX-License-Identifier: Apache-2.0
// The supervisor is killed while it holds a child, or after it has let it go: the kernel ends the child.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/file.h"
#include "base/process.h"
#include "bwrap/held_child.h"

namespace agentctl::bwrap {
namespace {

constexpr int kDeadlineMsec = 5000;

bool has_ended(int pidfd, int deadline_msec) {
  pollfd ended{pidfd, POLLIN, 0};
  return ::poll(&ended, 1, deadline_msec) == 1;
}

// A supervisor that forks a child, releases it or not, tells its pid and waits to be killed.
[[noreturn]] void run_supervisor(int tell, int null, bool releases) {
  auto child = HeldChild::fork();
  if (!child) ::_exit(1);
  if (releases) {
    ExecRequest request;
    request.program = HostPath{std::string("/bin/sleep")};
    request.arguments = {"sleep", "1000"};
    request.standard_input = request.standard_output = request.standard_error = null;
    if (!child->release(request)) ::_exit(1);
  }
  const pid_t pid = child->pid();
  (void)!::write(tell, &pid, sizeof pid);
  while (true) ::pause();
}

void dies_with_its_supervisor(bool releases) {
  auto pipe = make_pipe();
  auto null = open_at(AT_FDCWD, "/dev/null", O_RDWR);
  REQUIRE(pipe.has_value());
  REQUIRE(null.has_value());
  const pid_t supervisor = ::fork();
  REQUIRE(supervisor >= 0);
  if (supervisor == 0) run_supervisor(pipe->write_end.get(), null->get(), releases);
  pid_t child = 0;
  REQUIRE(::read(pipe->read_end.get(), &child, sizeof child) == sizeof child);
  const auto pidfd = open_pidfd(child);
  REQUIRE(pidfd.has_value());
  CHECK_FALSE(has_ended(pidfd->get(), 0));
  REQUIRE(::kill(supervisor, SIGKILL) == 0);
  CHECK(has_ended(pidfd->get(), kDeadlineMsec));
  ::waitpid(supervisor, nullptr, 0);
}

}  // namespace

TEST_SUITE("supervisor_death") {
  TEST_CASE("a child that is held dies with its supervisor") { dies_with_its_supervisor(false); }

  TEST_CASE("a program that was let go dies with its supervisor") { dies_with_its_supervisor(true); }
}

}  // namespace agentctl::bwrap
