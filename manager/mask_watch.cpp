// SPDX-License-Identifier: Apache-2.0
#include "manager/mask_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "bwrap/mount_repair.h"

namespace agentctl::manager {
namespace {

using bwrap::GuardedMount;
using bwrap::GuardState;

// A host that replaces a file over and over: the session stays frozen meanwhile.
constexpr std::uint64_t kRestoreDeadlineUsec = 2'000'000;
// An agent that makes files without end in the project may not keep us busy, outside of its own limits.
constexpr std::uint64_t kRestUsec = 5'000;
// Nor our memory and the record: what is new beyond that is counted.
constexpr std::size_t kMostTold = 64;

std::string describe(const GuardedMount& mount) {
  if (mount.guard == bwrap::Guard::name) return cat("'", printable(mount.path), "' has appeared: hidden");
  const char* again = mount.guard == bwrap::Guard::mask   ? "hidden again"
                      : mount.guard == bwrap::Guard::copy ? "the session keeps its copy"
                                                          : "read-only again";
  return cat("'", printable(mount.path), "' was replaced on the host: ", again);
}

class Freeze {
 public:
  explicit Freeze(const units::Cgroup* cgroup) {
    if (cgroup == nullptr || cgroup->freezes()) return;  // somebody else's freeze is not ours to end
    const auto frozen = cgroup->freeze();
    if (!frozen) log::debug(frozen.error().message);
    if (frozen && *frozen) cgroup_ = cgroup;
  }
  void keep() { cgroup_ = nullptr; }
  Freeze(const Freeze&) = delete;
  Freeze& operator=(const Freeze&) = delete;
  ~Freeze() {
    if (cgroup_ == nullptr) return;
    if (const auto thawed = cgroup_->thaw(); !thawed) log::warn(thawed.error().message);
  }

 private:
  const units::Cgroup* cgroup_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<MaskWatch>> MaskWatch::open(const bwrap::Plan& plan, std::vector<GuardedMount> mounts,
                                                   pid_t inside, bwrap::GlobWatch globs) {
  if (mounts.empty() && globs.empty()) return std::unique_ptr<MaskWatch>();
  const std::string context = "cannot keep what is hidden and protected in place";
  if (!globs.empty()) globs.narrow(bwrap::HostTrees(plan));
  DirectoryWatch* const directories = AGENTCTL_TRY(with_context(context, globs.directories()));
  bwrap::SandboxView sandbox = AGENTCTL_TRY(with_context(context, bwrap::SandboxView::open(inside)));
  std::unique_ptr<MaskWatch> watch(new MaskWatch(std::move(mounts), std::move(sandbox), std::move(globs), directories));
  AGENTCTL_TRY_VOID(with_context(context, watch->watch_directories()));
  for (const GuardedMount& mount : watch->mounts_) {
    if (mount.guard == bwrap::Guard::copy) AGENTCTL_TRY_VOID(with_context(context, watch->hold(mount)));
  }
  return watch;
}

MaskWatch::~MaskWatch() {
  if (loop_ != nullptr) loop_->forget(directories_->fd());
}

Result<void> MaskWatch::watch_directories() {
  std::vector<WatchedDirectory> watched;
  std::set<std::string> paths = globs_.directories_above();
  for (std::string& path : bwrap::directories_of(mounts_)) paths.insert(std::move(path));
  for (const std::string& path : paths) {
    auto fd = sandbox_.open_path(path, O_DIRECTORY);
    if (fd) {
      watched.push_back({path, std::move(*fd)});
    } else if (const int why = fd.error().sys_errno; why != ENOENT && why != ENOTDIR && why != ELOOP && why != EXDEV) {
      // Those: it is gone, is something else, or was replaced during the walk; what comes in its place is seen above
      // it.
      return std::move(fd).error();
    }
  }
  return directories_->watch(watched);
}

// What a plan hides by its name alone, or by a glob that begins in what was not there, may have appeared before the
// watch was there.
Result<void> MaskWatch::settle() {
  Appeared appeared = AGENTCTL_TRY(directories_->read());
  AGENTCTL_TRY_VOID(check(appeared));
  std::vector<GuardedMount> lost;
  for (const GuardedMount& mount : mounts_) {
    if (mount.guard == bwrap::Guard::name && sandbox_.look(mount) == GuardState::lost) lost.push_back(mount);
  }
  AGENTCTL_TRY_VOID(restore(lost));
  appeared.incomplete = true;
  return hide_new(appeared);
}

void MaskWatch::connect(EventLoop& loop, const units::Cgroup* cgroup, Callbacks callbacks) {
  loop_ = &loop;
  cgroup_ = cgroup;
  callbacks_ = std::move(callbacks);
  loop.watch(directories_->fd(), POLLIN, [this](short) { on_ready(); });
}

void MaskWatch::on_ready() {
  if (const auto taken = take_events(); !taken) {
    loop_->forget(directories_->fd());
    callbacks_.failed(taken.error());
  }
}

Result<void> MaskWatch::take_events() {
  const Appeared appeared = AGENTCTL_TRY(directories_->read());
  if (appeared.crowded && loop_ != nullptr) rest();
  AGENTCTL_TRY_VOID(check(appeared));
  return hide_new(appeared);
}

void MaskWatch::rest() {
  loop_->set_events(directories_->fd(), 0);
  loop_->after(kRestUsec, [this] { loop_->set_events(directories_->fd(), POLLIN); });
}

std::vector<GuardedMount> MaskWatch::find_lost(const Appeared& appeared) const {
  std::vector<GuardedMount> lost;
  for (const GuardedMount& mount : mounts_) {
    const bool concerned =
        appeared.incomplete || std::any_of(appeared.paths.begin(), appeared.paths.end(),
                                           [&](const std::string& path) { return bwrap::concerns(path, mount); });
    if (concerned && sandbox_.look(mount) == GuardState::lost) lost.push_back(mount);
  }
  return lost;
}

// A directory that appeared is not watched yet, and something may have been put in it before it is: once more, then.
Result<void> MaskWatch::check(const Appeared& appeared) {
  const bool concerned =
      appeared.incomplete || std::any_of(appeared.paths.begin(), appeared.paths.end(), [&](const std::string& path) {
        return globs_.concerns(path) || std::any_of(mounts_.begin(), mounts_.end(), [&](const GuardedMount& mount) {
                 return bwrap::concerns(path, mount);
               });
      });
  if (!concerned) return {};
  AGENTCTL_TRY_VOID(restore(find_lost(appeared)));
  AGENTCTL_TRY_VOID(watch_directories());
  return restore(find_lost(appeared));
}

Result<void> MaskWatch::restore(const std::vector<GuardedMount>& lost) {
  if (lost.empty()) return {};
  AGENTCTL_TRY_VOID(make_stand(lost));
  for (const GuardedMount& mount : lost) {
    if (mount.guard == bwrap::Guard::pin) continue;
    tell(describe(mount));
  }
  return {};
}

void MaskWatch::tell(const std::string& line) {
  if (++told_[line] == 1 && callbacks_.restored) callbacks_.restored(line);
}

Result<void> MaskWatch::hide_new(const Appeared& appeared) {
  if (globs_.empty()) return {};
  std::optional<Freeze> freeze;
  const auto hold_still = [&] {
    if (!freeze) freeze.emplace(cgroup_);
  };
  const auto matches = globs_.find(appeared, hold_still);
  Result<void> hidden = matches ? hide(*matches) : Result<void>(matches.error());
  if (!hidden && freeze) freeze->keep();
  return hidden;
}

Result<void> MaskWatch::hide(const std::vector<bwrap::NewMatch>& matches) {
  std::map<std::string, std::string> lines;
  std::vector<GuardedMount> open;
  for (const bwrap::NewMatch& match : matches) {
    GuardedMount mount{match.path, match.path, bwrap::Guard::mask, match.rule};
    if (lines.contains(match.path) || sandbox_.look(mount) != GuardState::lost) continue;
    lines.emplace(match.path, cat("'", printable(match.path), "' is new and matches ", match.rule, ": hidden"));
    open.push_back(std::move(mount));
  }
  if (open.empty()) return {};
  AGENTCTL_TRY_VOID(make_stand(std::move(open)));
  for (const auto& [path, line] : lines) {
    if (told_.contains(line) || told_.size() < kMostTold) {
      tell(line);
    } else {
      ++untold_;
    }
  }
  return {};
}

// Not what the host has put in its place meanwhile.
Result<void> MaskWatch::hold(const GuardedMount& copy) {
  if (sandbox_.look(copy) != GuardState::stands) return {};
  return sandbox_.hold_copy(copy.path);
}

// A mount covers one name. Whoever watches a directory can give a file a second name before the host renames it to the
// first: then it must not be called protected. A file that is hidden may have had its other names from its owner.
Result<void> MaskWatch::look_for_other_names(const std::vector<GuardedMount>& lost) {
  for (const GuardedMount& mount : lost) {
    const bool is_hidden = bwrap::hides(mount.guard);
    if (!is_hidden && mount.guard != bwrap::Guard::read_only) continue;
    const auto file = sandbox_.open_path(mount.path);
    struct stat status {};
    if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink < 2) continue;
    const std::string found = cat("'", printable(mount.path), "' has a second name");
    if (!is_hidden) return make_error(ErrorKind::environment, cat(found, ", by which the session could write it"));
    tell(cat(found, ": what is in it can be read there"));
  }
  return {};
}

Result<void> MaskWatch::make_stand(std::vector<GuardedMount> lost) {
  Freeze freeze(cgroup_);
  const std::uint64_t deadline = monotonic_usec() + kRestoreDeadlineUsec;
  while (!lost.empty()) {
    Result<void> restored = look_for_other_names(lost);
    if (restored) restored = bwrap::restore_mounts(sandbox_, lost);
    if (restored) {
      // Before it is thawed: what it writes from then on is in the copy that is held.
      for (const GuardedMount& mount : lost) {
        if (mount.guard == bwrap::Guard::copy) AGENTCTL_TRY_VOID(hold(mount));
      }
      std::erase_if(lost, [&](const GuardedMount& mount) { return sandbox_.look(mount) != GuardState::lost; });
      if (lost.empty()) break;
      if (monotonic_usec() < deadline) continue;
      restored =
          make_error(ErrorKind::environment, cat("'", printable(lost.front().path), "' does not stay as it was put"));
    }
    freeze.keep();  // until it is killed
    return restored;
  }
  return {};
}

std::vector<std::string> MaskWatch::summary() const {
  std::vector<std::string> lines;
  for (const auto& [line, times] : told_) lines.push_back(times == 1 ? line : cat(line, " (", times, " times)"));
  if (untold_ > 0) lines.push_back(cat(untold_, " more new files that match globs: hidden"));
  return lines;
}

}  // namespace agentctl::manager
