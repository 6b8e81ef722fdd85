// SPDX-License-Identifier: Apache-2.0
#include "manager/session_program.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <string_view>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "bwrap/landlock_scope.h"
#include "bwrap/safe_path.h"
#include "manager/session_dir.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kMostEnvironmentBytes = 8U << 20;
constexpr const char* kUsualPath = "/usr/local/bin:/usr/bin:/bin";

int flags_of(const std::vector<std::string>& namespaces) {
  const std::map<std::string_view, int> known = {
      {"user", CLONE_NEWUSER}, {"pid", CLONE_NEWPID}, {"mnt", CLONE_NEWNS},        {"ipc", CLONE_NEWIPC},
      {"uts", CLONE_NEWUTS},   {"net", CLONE_NEWNET}, {"cgroup", CLONE_NEWCGROUP},
  };
  int flags = 0;
  for (const std::string& name : namespaces) {
    if (const auto found = known.find(name); found != known.end()) flags |= found->second;
  }
  return flags;
}

std::string find_variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return {};
}

// ENOENT, EACCES, or 0 for a file that somebody may execute.
int look_at_program(int root, const std::string& path) {
  const auto file = bwrap::open_in_root(root, path, O_PATH);
  if (!file) return file.error().sys_errno == EACCES ? EACCES : ENOENT;
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return errno;
  return S_ISREG(status.st_mode) && (status.st_mode & 0111U) != 0 ? 0 : EACCES;
}

Result<std::string> find_program(int root, const bwrap::EntryRequest& entry, const std::string& word) {
  std::vector<std::string> candidates;
  if (word.find('/') != std::string::npos) {
    candidates.push_back(word.starts_with('/') ? word : cat(entry.directory, "/", word));
  } else {
    const std::string path = find_variable(entry.environment, "PATH");
    for_each_part(path.empty() ? kUsualPath : path, ':', [&](std::string_view directory) {
      if (directory.starts_with('/')) candidates.push_back(cat(directory, "/", word));
    });
  }
  int why = ENOENT;
  for (std::string& candidate : candidates) {
    const int obstacle = look_at_program(root, candidate);
    if (obstacle == 0) return std::move(candidate);
    if (obstacle != ENOENT) why = obstacle;
  }
  Error error = errno_error(why, cat("cannot execute '", printable(word), "' in the session"));
  error.kind = ErrorKind::environment;
  return error;
}

}  // namespace

Result<SessionProgram> SessionProgram::find(const KnownSession& session, const std::vector<std::string>& command,
                                            int file) {
  const Record& record = session.record;
  SessionProgram program;
  const auto ended = [&] { return make_error(ErrorKind::system, cat("session '", record.name, "' has ended")); };
  auto leader = open_pidfd(record.leader.pid);
  if (!leader || !is_alive(record.leader)) return ended();
  program.leader_ = std::move(*leader);
  bwrap::EntryRequest& entry = program.entry_;
  entry.leader_pidfd = program.leader_.get();
  entry.namespaces = flags_of(record.namespaces);
  entry.nested = record.nested;
  entry.closes_scopes =
      record.network == "host" && bwrap::has_landlock_scopes();  // since its start, the kernel is the same
  entry.directory = record.directory;
  const UniqueFd root =
      AGENTCTL_TRY(open_at(AT_FDCWD, cat("/proc/", record.leader.pid, "/root"), O_PATH | O_DIRECTORY));
  const std::string environment =
      AGENTCTL_TRY(with_context("cannot read the session's environment",
                                read_file(cat(session.directory, "/", kEnvironmentFile), kMostEnvironmentBytes)));
  for_each_part(environment, '\0', [&](std::string_view variable) {
    if (!variable.empty()) entry.environment.emplace_back(variable);
  });
  if (!is_alive(record.leader)) return ended();  // what was read may be another's who took its number
  entry.arguments = command;
  entry.program_file = file;
  if (file < 0) entry.program = AGENTCTL_TRY(find_program(root.get(), entry, command.front()));
  return program;
}

}  // namespace agentctl::manager
