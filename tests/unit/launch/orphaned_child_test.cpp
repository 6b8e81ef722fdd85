// SPDX-License-Identifier: Apache-2.0
// The supervisor dies between fork and the moment at which the child ties its life to it: PR_SET_PDEATHSIG comes too
// late then, and only the getppid check is left. prctl and setsid are our own here, to make that moment happen every
// time.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>

#include <doctest/doctest.h>

#include "base/file.h"
#include "bwrap/held_child.h"

namespace {

int went_on_fd = -1;  // written to by a child that goes on although its supervisor is gone
bool kills_parent = false;

}  // namespace

extern "C" int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  const unsigned long argument = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_PDEATHSIG && kills_parent) {
    const pid_t supervisor = ::getppid();
    ::kill(supervisor, SIGKILL);
    while (::getppid() == supervisor) ::sched_yield();  // until the kernel has given us another parent
  }
  return static_cast<int>(::syscall(SYS_prctl, option, argument, 0, 0, 0));
}

extern "C" pid_t setsid() noexcept {
  if (went_on_fd >= 0) (void)!::write(went_on_fd, "went on", 7);
  return static_cast<pid_t>(::syscall(SYS_setsid));
}

namespace agentctl::bwrap {
namespace {

// Forks a supervisor that forks a held child, and gives what that child wrote.
std::string run_supervisor(bool dies) {
  auto pipe = make_pipe();
  auto null = open_at(AT_FDCWD, "/dev/null", O_RDWR);
  REQUIRE(pipe.has_value());
  REQUIRE(null.has_value());
  const pid_t supervisor = ::fork();
  REQUIRE(supervisor >= 0);
  if (supervisor == 0) {
    went_on_fd = pipe->write_end.get();
    kills_parent = dies;
    ExecRequest request;
    request.program = HostPath{std::string("/bin/true")};
    request.arguments = {"true"};
    request.standard_input = request.standard_output = request.standard_error = null->get();
    auto child = HeldChild::fork();
    if (dies) {
      ::alarm(10);  // should the child not end it
      ::pause();
    }
    if (child.has_value()) (void)child->release(request);
    ::_exit(0);
  }
  pipe->write_end.reset();
  int status = 0;
  REQUIRE(::waitpid(supervisor, &status, 0) == supervisor);
  CHECK(WIFSIGNALED(status) == dies);
  std::string text;
  char block[64];
  ssize_t count = 0;
  while ((count = ::read(pipe->read_end.get(), block, sizeof block)) > 0)
    text.append(block, static_cast<std::size_t>(count));
  return text;
}

}  // namespace

TEST_SUITE("orphaned_child") {
  TEST_CASE("a child whose supervisor lives goes on") { CHECK(run_supervisor(false) == "went on"); }

  TEST_CASE("a child whose supervisor died before it could be tied to it ends at once") {
    CHECK(run_supervisor(true).empty());
  }
}

}  // namespace agentctl::bwrap
