// SPDX-License-Identifier: Apache-2.0
// The held child as the program finds itself that it becomes.
#include "bwrap/held_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::bwrap {
namespace {

std::string read_to_end(int fd) {
  std::string text;
  char block[4096];
  ssize_t count = 0;
  while ((count = ::read(fd, block, sizeof block)) > 0) text.append(block, static_cast<std::size_t>(count));
  return text;
}

ExecRequest request_report(int output, const UniqueFd& null) {
  ExecRequest request;
  request.program = HostPath{std::string(EXEC_REPORT)};
  request.arguments = {"exec_report"};
  request.standard_input = null.get();
  request.standard_output = output;
  request.standard_error = null.get();
  return request;
}

// What the program says of itself once the child is released.
std::set<std::string> report_of(const std::vector<std::string>& environment, const std::vector<int>& kept_fds) {
  auto pipe = make_pipe();
  auto null = open_at(AT_FDCWD, "/dev/null", O_RDWR);
  REQUIRE(pipe.has_value());
  REQUIRE(null.has_value());
  ExecRequest request = request_report(pipe->write_end.get(), *null);
  request.environment = environment;
  request.kept_fds = kept_fds;
  auto child = HeldChild::fork();
  REQUIRE(child.has_value());
  REQUIRE(child->release(request).has_value());
  pipe->write_end.reset();
  std::istringstream lines(read_to_end(pipe->read_end.get()));
  std::set<std::string> facts;
  for (std::string line; std::getline(lines, line);) facts.insert(line);
  return facts;
}

std::set<std::string> with_prefix(const std::set<std::string>& facts, const std::string& prefix) {
  std::set<std::string> found;
  for (const std::string& fact : facts) {
    if (fact.starts_with(prefix)) found.insert(fact.substr(prefix.size()));
  }
  return found;
}

}  // namespace

TEST_SUITE("held_child") {
  TEST_CASE("the program dies with the supervisor") {
    CHECK(report_of({}, {}).contains(cat("parent-death-signal ", SIGKILL)));
  }

  TEST_CASE("the program inherits no descriptor but the named ones") {
    const UniqueFd leaked(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC on purpose
    const UniqueFd kept(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const auto descriptors = with_prefix(report_of({}, {kept.get()}), "descriptor ");
    CHECK(descriptors == std::set<std::string>{"0", "1", "2", std::to_string(kFirstKeptFd)});
  }

  TEST_CASE("the program has the environment of the request and nothing of ours") {
    REQUIRE(::setenv("AGENTCTL_TEST_SECRET", "leaked", 1) == 0);
    const auto variables = with_prefix(report_of({"ONLY=this"}, {}), "variable ");
    CHECK(variables == std::set<std::string>{"ONLY=this"});
  }

  TEST_CASE("the keyboard's signals are ignored and the others are not") {
    const auto ignored = with_prefix(report_of({}, {}), "ignored ");
    std::set<std::string> wanted;
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP}) wanted.insert(std::to_string(signal));
    CHECK(ignored == wanted);
  }

  TEST_CASE("the program leads a session of its own and cannot dump core") {
    const auto facts = report_of({}, {});
    CHECK(facts.contains("session-leader 1"));
    CHECK(facts.contains("core-limit 0"));
  }

  TEST_CASE("a child that is never released never becomes the program") {
    UniqueFd pidfd;
    {
      auto child = HeldChild::fork();
      REQUIRE(child.has_value());
      char name[64] = {};
      (void)!::readlink(cat("/proc/", child->pid(), "/exe").c_str(), name, sizeof name - 1);
      CHECK(std::string_view(name).find("exec_report") == std::string_view::npos);
      pidfd.reset(::fcntl(child->pidfd(), F_DUPFD_CLOEXEC, 3));
    }
    pollfd ended{pidfd.get(), POLLIN, 0};
    CHECK(::poll(&ended, 1, 5000) == 1);
  }

  TEST_CASE("a program that cannot be executed is told at release") {
    auto null = open_at(AT_FDCWD, "/dev/null", O_RDWR);
    REQUIRE(null.has_value());
    ExecRequest request = request_report(null->get(), *null);
    request.program = HostPath{std::string("/nonexistent")};
    auto child = HeldChild::fork();
    REQUIRE(child.has_value());
    const auto released = child->release(request);
    REQUIRE_FALSE(released.has_value());
    CHECK(released.error().message == "cannot execute bwrap: No such file or directory");
  }
}

}  // namespace agentctl::bwrap
