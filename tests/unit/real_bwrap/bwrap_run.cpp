// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/real_bwrap/bwrap_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/file.h"
#include "base/unique_fd.h"
#include "bwrap/argv.h"
#include "bwrap/safe_path.h"
#include "bwrap/seccomp_filter.h"

namespace agentctl::bwrap {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

std::string read_to_end(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t length = 0; (length = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(length));
  }
  return text;
}

}  // namespace

RunOutcome run_plan(const Plan& plan, const std::string& stage, const std::vector<std::string>& words) {
  std::vector<UniqueFd> held;
  const auto hold = [&](UniqueFd fd) {
    held.push_back(std::move(fd));
    return held.back().get();
  };
  BwrapFds fds;
  for (const Operation& operation : plan.operations) {
    switch (operation.kind) {
      case OperationKind::bind_project:
        fds.project = hold(hold_directory(operation.source).value());
        break;
      case OperationKind::bind_stage:
        fds.stage = hold(hold_own_program(HostPath(stage)).value());
        break;
      case OperationKind::copy:
        fds.copies.push_back(hold(open_at(AT_FDCWD, operation.source.str(), O_RDONLY).value()));
        break;
      case OperationKind::data:
        fds.copies.push_back(hold(sealed_memory_file("data", operation.text).value()));
        break;
      case OperationKind::mask:
        if (has_content(operation)) fds.copies.push_back(hold(sealed_memory_file("mask", "").value()));
        break;
      default:
        break;
    }
  }
  for (const std::string_view filter : {guard_filter(), deny_filter()}) {
    fds.seccomp.push_back(hold(sealed_memory_file("filter", filter).value()));
  }
  const std::vector<std::string> options = render_options(plan, fds).value();
  const int arguments = hold(sealed_memory_file("arguments", join_nul(options)).value());

  std::vector<std::string> line = {plan.bwrap.str(), "--args", std::to_string(arguments), "--"};
  line.insert(line.end(), words.begin(), words.end());
  std::vector<std::string> variables = plan.environment;
  const std::vector<char*> argv = pointers(line);
  const std::vector<char*> envp = pointers(variables);
  Pipe output = make_pipe().value();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const UniqueFd& fd : held) ::fcntl(fd.get(), F_SETFD, 0);
    ::dup2(output.write_end.get(), 1);
    ::dup2(output.write_end.get(), 2);
    ::execve(plan.bwrap.str().c_str(), argv.data(), envp.data());
    ::_exit(99);
  }
  output.write_end.reset();
  RunOutcome outcome;
  outcome.output = read_to_end(output.read_end.get());
  int status = 0;
  REQUIRE_EQ(::waitpid(child, &status, 0), child);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace agentctl::bwrap
