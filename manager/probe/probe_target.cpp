// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/probe_target.h"

#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/host_facts.h"
#include "bwrap/landlock_scope.h"
#include "bwrap/machine_size.h"
#include "bwrap/path_resolution.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/own_program.h"
#include "manager/policy_layers.h"
#include "manager/probe/grants.h"
#include "manager/probe/secret.h"
#include "manager/probe/start_line.h"
#include "manager/probe/word_split.h"
#include "manager/registry.h"
#include "manager/session_entry.h"
#include "manager/state_dirs.h"
#include "policy/limits.h"

namespace agentctl::probe {
namespace {

constexpr std::uint64_t kMostTasks = 5000;                                    // more takes seconds
constexpr std::uint64_t kMostMemory = 1536ULL << 20;                          // so does more of this
constexpr std::uint64_t kFewTasks = 4096, kSomeMemory = 512ULL << 20;         // of a sandbox whose limits nobody told
constexpr std::uint64_t kSelfTestTasks = 256, kSelfTestMemory = 32ULL << 20;  // without one any number shows it
constexpr std::uint64_t kBeyondTasks = 16;

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int execute(const std::string& program, const std::vector<std::string>& words) {
  ::execvp(program.c_str(), pointers_to(words).data());
  const int error = errno;
  manager::print_error(errno_error(error, cat("cannot execute '", printable(program), "'")));
  return error == ENOENT ? manager::kExitNotFound : manager::kExitCannotExecute;
}

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// What is tried without a limit must fit, too: the control does it first.
std::uint64_t bytes_to_try(std::uint64_t limit) {
  struct sysinfo machine {};
  if (::sysinfo(&machine) != 0 || limit > kMostMemory) return 0;
  const std::uint64_t wanted = limit + limit / 8;
  return (static_cast<std::uint64_t>(machine.freeram) + machine.bufferram) * machine.mem_unit / 2 > wanted ? wanted : 0;
}

std::uint64_t tasks_to_try(std::uint64_t limit) { return limit > kMostTasks ? 0 : limit + kBeyondTasks; }

std::string home() {
  const char* value = ::getenv("HOME");
  return value == nullptr ? std::string() : std::string(value);
}

Result<Target> fresh_sandbox(const manager::ProbeOptions& options, const std::string& program,
                             const ScratchPlace& scratch) {
  manager::StartOptions start = options.start;
  const std::string current = AGENTCTL_TRY(current_directory());
  Target target;
  target.name = "sandbox";
  target.is_planted = start.project.empty();
  target.project = target.is_planted ? scratch.project() : bwrap::expand_path(start.project, home(), current);
  target.state = scratch.state() + "/agentctl";
  target.slow = "still trying, inside a sandbox";
  start.command = {program};
  const manager::LayeredPolicy layered = AGENTCTL_TRY(manager::load_layers(start, target.project));
  target.grants = grants_of(layered.policy, home(), target.project, bwrap::has_landlock_scopes());
  const policy::Limits limits = policy::resolve_limits(layered.policy.limits, bwrap::read_machine_size());
  if (start.no_limits) {
    target.grants.openings.insert(Opening::limits);
  } else {
    target.tasks = tasks_to_try(limits.tasks_max);
    target.memory = limits.oom == policy::OomMode::process ? bytes_to_try(limits.memory_max) : 0;
  }
  const std::string agentctl = AGENTCTL_TRY(manager::own_program());
  std::vector<std::string> line = joined({agentctl, "start", "--quiet"}, start_options(options.start, current));
  line = joined(std::move(line), {cat("--name=probe-", AGENTCTL_TRY(random_hex(8))), cat("--project=", target.project),
                                  cat("--ro=", program), "--", program});
  target.body = [agentctl, line](const std::vector<std::string>& words) {
    return execute(agentctl, joined(line, words));
  };
  return target;
}

// A copy in memory that nobody can change: the agent may open what its neighbour executes.
Result<std::shared_ptr<UniqueFd>> sealed_copy(const std::string& program) {
  constexpr std::size_t kMostBytes = 16U << 20;
  const std::string content = AGENTCTL_TRY(read_file(program, kMostBytes));
  return std::make_shared<UniqueFd>(AGENTCTL_TRY(sealed_memory_file("agentctl-probe", content)));
}

Result<Target> running_session(const std::string& name, const std::string& program) {
  const manager::KnownSession session = AGENTCTL_TRY(manager::find_session(manager::list_sessions(), name));
  Target target;
  target.name = "session";
  target.stays = true;
  target.project = session.record.project;
  target.state = AGENTCTL_TRY(manager::state_dir_path());
  target.slow = cat("still trying, in the session '", session.record.name, "'");
  target.grants = grants_of(session.record, home(), bwrap::has_landlock_scopes());
  const auto file = AGENTCTL_TRY(sealed_copy(program));
  target.body = [session, file](const std::vector<std::string>& words) {
    const auto status = manager::run_in_session(session, joined({"agentctl-probe"}, words), file->get());
    if (status) return *status;
    manager::print_error(status.error());
    return manager::kExitStartFailed;
  };
  return target;
}

Result<Target> given_line(const std::string& line, const std::string& program) {
  const std::string current = AGENTCTL_TRY(current_directory());
  const auto look_up = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "PWD") return current;  // every shell has it
    const char* value = ::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  const std::vector<std::string> given = AGENTCTL_TRY(split_words(line, look_up));
  if (given.empty()) return make_error(ErrorKind::usage, "--against must be followed by a command line");
  Target target;
  target.name = "against";
  target.project = current;
  target.slow = "still trying, in the sandbox that was given";
  target.tasks = kFewTasks;
  target.memory = bytes_to_try(kSomeMemory);
  target.body = [given, program](const std::vector<std::string>& words) {
    return execute(given.front(), joined(joined(given, {program}), words));
  };
  return target;
}

Target no_sandbox(const ScratchPlace& scratch) {
  Target target;
  target.name = "self-test";
  target.project = scratch.project();
  target.is_planted = true;
  target.state = scratch.state() + "/agentctl";
  target.tasks = kSelfTestTasks;
  target.memory = bytes_to_try(kSelfTestMemory);
  return target;
}

}  // namespace

std::function<int(const std::vector<std::string>& words)> without_sandbox(const std::string& program) {
  return [program](const std::vector<std::string>& words) { return execute(program, joined({program}, words)); };
}

Result<Target> choose_target(const manager::ProbeOptions& options, const std::string& program,
                             const ScratchPlace& scratch) {
  if (options.self_test) return no_sandbox(scratch);
  if (!options.against.empty()) return given_line(options.against, program);
  if (!options.session.empty()) return running_session(options.session, program);
  return fresh_sandbox(options, program, scratch);
}

}  // namespace agentctl::probe
