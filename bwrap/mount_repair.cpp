// SPDX-License-Identifier: Apache-2.0
#include "bwrap/mount_repair.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/parent_death.h"
#include "base/text.h"
#include "bwrap/mount_tree.h"

namespace agentctl::bwrap {
namespace {

constexpr int kDeadlineMsec = 2000;

// The host has replaced it once more: gone, or no longer in this namespace. Whoever asked looks again.
bool is_outdated(const Error& error) {
  return error.sys_errno == ENOENT || error.sys_errno == EXDEV || error.sys_errno == EINVAL;
}

// Lives in a process of its own, which ends with it.
class Repairer {
 public:
  Repairer(const SandboxView& sandbox, pid_t parent) : sandbox_(sandbox), parent_(parent) {}

  Result<void> restore(const std::vector<GuardedMount>& lost) {
    if (::setns(sandbox_.user_namespace(), CLONE_NEWUSER) != 0) return errno_error("cannot enter its user namespace");
    AGENTCTL_TRY_VOID(enter_mounts());
    die_with(parent_);  // once more: the change of credentials forgets it
    const auto is_mask = [](const GuardedMount& mount) { return hides(mount.guard); };
    if (std::any_of(lost.begin(), lost.end(), is_mask)) AGENTCTL_TRY_VOID(make_sources());
    // A directory is mounted over itself last, with all that was mounted in it: who is in it already, and stays below
    // that mount, meets the same there.
    for (const bool is_pin : {false, true}) {
      for (const GuardedMount& mount : lost) {
        if ((mount.guard == Guard::pin) == is_pin) AGENTCTL_TRY_VOID(restore_one(mount));
      }
    }
    return {};
  }

 private:
  Result<void> enter_mounts() const {
    if (::setns(sandbox_.mount_namespace(), CLONE_NEWNS) != 0) return errno_error("cannot enter its mounts");
    return {};
  }

  Result<void> restore_one(const GuardedMount& mount) {
    if (sandbox_.look(mount) != GuardState::lost) return {};
    auto placed = place(mount);
    if (placed && mount.guard != Guard::pin) placed = place_on_undersides(mount);
    if (placed || is_outdated(placed.error())) return {};
    return with_context(cat("'", printable(mount.path), "'"), std::move(placed));
  }

  // What stands at the path by now, once more.
  Result<void> place_on_undersides(const GuardedMount& mount) {
    for (const UniqueFd& underside : sandbox_.open_bare_undersides(mount)) {
      const UniqueFd at = AGENTCTL_TRY(sandbox_.open_path(mount.path));
      const mode_t type = AGENTCTL_TRY(type_of(at));
      const UniqueFd tree = AGENTCTL_TRY(clone_tree(at, S_ISDIR(type)));
      AGENTCTL_TRY_VOID(attach_tree(tree, underside));
    }
    return {};
  }

  Result<void> place(const GuardedMount& mount) {
    auto opened = sandbox_.open_path(mount.path);
    if (!opened && opened.error().sys_errno == ELOOP && hides(mount.guard)) return cover_behind_link(mount.path);
    const UniqueFd at = AGENTCTL_TRY(std::move(opened));
    const mode_t type = AGENTCTL_TRY(type_of(at));
    if (hides(mount.guard)) return mask(mount, at, type);
    if (mount.guard == Guard::copy) return put_copy_back(mount.path, at);
    if (S_ISLNK(type)) return make_error(ErrorKind::environment, "it is a symbolic link now");
    const UniqueFd tree = AGENTCTL_TRY(clone_tree(at, S_ISDIR(type)));
    if (mount.guard == Guard::read_only) AGENTCTL_TRY_VOID(make_read_only(tree));
    return attach_tree(tree, at);
  }

  // A link is covered itself, and so is the file that it leads to. Never a directory: the agent may have made the link,
  // and what we watch and guard may lie in it.
  Result<void> mask(const GuardedMount& mount, const UniqueFd& at, mode_t type) {
    if (!S_ISLNK(type)) return cover(at, type);
    if (const auto end = sandbox_.open_followed(mount.path)) {
      const mode_t end_type = AGENTCTL_TRY(type_of(*end));
      if (S_ISREG(end_type)) AGENTCTL_TRY_VOID(cover(*end, end_type));
    }
    return cover(at, type);
  }

  // A directory is not covered where a link leads to it, for the same reason: the link is.
  Result<void> cover_behind_link(const std::string& path) {
    const UniqueFd end = AGENTCTL_TRY(sandbox_.open_followed(path));
    const mode_t type = AGENTCTL_TRY(type_of(end));
    if (!S_ISDIR(type)) return cover(end, type);
    return cover(AGENTCTL_TRY(sandbox_.open_first_link(path)), S_IFLNK);
  }

  Result<void> cover(const UniqueFd& place, mode_t type) {
    Source& source = S_ISDIR(type) ? directory_ : file_;
    if (source.is_placed) {
      // What is in a place of this namespace can be cloned from there, unless the host has just removed that too.
      if (const auto copy = clone_tree(source.tree, S_ISDIR(type))) return attach_tree(*copy, place);
      AGENTCTL_TRY_VOID(make_sources());
    }
    source.is_placed = true;
    return attach_tree(source.tree, place);
  }

  Result<void> make_sources() {
    EmptyTrees trees = AGENTCTL_TRY(with_context("cannot make an empty file", make_empty_trees()));
    file_ = {std::move(trees.file), false};
    directory_ = {std::move(trees.directory), false};
    return enter_mounts();
  }

  Result<void> put_copy_back(const std::string& path, const UniqueFd& at) {
    const int content = AGENTCTL_TRY(sandbox_.find_copy(path));
    const UniqueFd tree = AGENTCTL_TRY(with_context("cannot make a copy", make_copy_tree(content)));
    AGENTCTL_TRY_VOID(enter_mounts());
    return attach_tree(tree, at);
  }

  static Result<mode_t> type_of(const UniqueFd& fd) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return errno_error("cannot look at it");
    return status.st_mode;
  }

  struct Source {
    UniqueFd tree;
    bool is_placed = false;
  };

  const SandboxView& sandbox_;
  pid_t parent_;
  Source file_;
  Source directory_;
};

// Empty when all is done, else why not.
std::optional<std::string> read_answer(const UniqueFd& pipe) {
  std::string text;
  char part[1024];
  while (true) {
    pollfd ready{pipe.get(), POLLIN, 0};
    const int count = ::poll(&ready, 1, kDeadlineMsec);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    const ssize_t length = ::read(pipe.get(), part, sizeof part);
    if (length <= 0) return text;
    text.append(part, static_cast<std::size_t>(length));
  }
}

}  // namespace

Result<void> restore_mounts(const SandboxView& sandbox, const std::vector<GuardedMount>& lost) {
  Pipe pipe = AGENTCTL_TRY(make_pipe());
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) {
    die_with(parent);
    const Result<void> done = Repairer(sandbox, parent).restore(lost);
    const std::string_view text = done ? std::string_view() : std::string_view(done.error().message);
    const bool told = ::write(pipe.write_end.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(done && told ? 0 : 1);
  }
  pipe.write_end.reset();
  const auto answer = read_answer(pipe.read_end);
  if (!answer) ::kill(pid, SIGKILL);  // ours and not reaped, so the number cannot be another's
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (!answer) return errno_error(ETIMEDOUT, "the mounts of the sandbox were not put back in time");
  if (!answer->empty()) return make_error(ErrorKind::environment, *answer);
  if (status != 0) return make_error(ErrorKind::internal, "the process that puts mounts back ended without a word");
  return {};
}

}  // namespace agentctl::bwrap
