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
#include "bwrap/file_holders.h"
#include "bwrap/followed_names.h"
#include "bwrap/mount_repair.h"
#include "bwrap/path_resolution.h"
#include "bwrap/refused_name.h"
#include "bwrap/release_proof.h"
#include "manager/freeze.h"

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
// Nor our descriptors: of each of these directories one is kept.
constexpr std::size_t kMostPinned = 256;
constexpr std::size_t kMostFollowed = 256;

std::string describe(const GuardedMount& mount) {
  if (mount.guard == bwrap::Guard::name) return cat("'", printable(mount.path), "' has appeared: hidden");
  const char* again = mount.guard == bwrap::Guard::mask   ? "hidden again"
                      : mount.guard == bwrap::Guard::copy ? "the session keeps its copy"
                                                          : "read-only again";
  return cat("'", printable(mount.path), "' was replaced on the host: ", again);
}

bool is_concerned(const Appeared& appeared, const GuardedMount& mount) {
  return appeared.incomplete || std::any_of(appeared.paths.begin(), appeared.paths.end(),
                                            [&](const std::string& path) { return bwrap::concerns(path, mount); });
}

}  // namespace

Result<std::unique_ptr<MaskWatch>> MaskWatch::open(const bwrap::Plan& plan, std::vector<GuardedMount> mounts,
                                                   pid_t inside, bwrap::GlobWatch globs) {
  if (mounts.empty() && globs.empty() && plan.refused_names.empty()) return std::unique_ptr<MaskWatch>();
  const std::string context = "cannot keep what is hidden and protected in place";
  const auto is_hidden = [](const GuardedMount& mount) { return bwrap::hides(mount.guard); };
  std::optional<bwrap::HostTrees> trees;
  if (!globs.empty() || std::any_of(mounts.begin(), mounts.end(), is_hidden)) trees.emplace(plan);
  if (!globs.empty()) globs.narrow(*trees, plan.shown_by_name);
  DirectoryWatch* const directories = AGENTCTL_TRY(with_context(context, globs.directories()));
  bwrap::SandboxView sandbox = AGENTCTL_TRY(with_context(context, bwrap::SandboxView::open(inside)));
  std::unique_ptr<MaskWatch> watch(new MaskWatch(std::move(mounts), std::move(sandbox), std::move(globs), directories));
  watch->trees_ = std::move(trees);
  watch->refused_ = plan.refused_names;
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
  for (const std::string& name : refused_) paths.insert(bwrap::parent_path(name));
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
  AGENTCTL_TRY_VOID(set_aside_refused(appeared));
  AGENTCTL_TRY_VOID(check(appeared));
  return hide_new(appeared);
}

void MaskWatch::rest() {
  loop_->set_events(directories_->fd(), 0);
  loop_->after(kRestUsec, [this] { loop_->set_events(directories_->fd(), POLLIN); });
}

// Nobody inside is to rename a directory above what is hidden, nor to lead it elsewhere.
Result<void> MaskWatch::hold_names(const Appeared& appeared) {
  std::vector<GuardedMount> concerned;
  for (const GuardedMount& mount : mounts_) {
    if (bwrap::hides(mount.guard) && is_concerned(appeared, mount)) concerned.push_back(mount);
  }
  const std::size_t known = mounts_.size();
  AGENTCTL_TRY_VOID(follow(concerned));
  concerned.insert(concerned.end(), mounts_.begin() + static_cast<std::ptrdiff_t>(known), mounts_.end());
  std::vector<GuardedMount> pins = find_pins(concerned);
  return pins.empty() ? Result<void>() : make_stand(std::move(pins));
}

// What links lead to is guarded from now on, too. Before they are covered: after that nobody can follow them inside.
Result<void> MaskWatch::follow(const std::vector<GuardedMount>& hidden) {
  if (!trees_) return {};
  std::map<std::string, GuardedMount> found;
  for (const GuardedMount& mount : hidden) {
    for (GuardedMount& name : bwrap::find_followed_names(sandbox_, *trees_, mount)) {
      found.try_emplace(name.path, std::move(name));
    }
  }
  for (const GuardedMount& mount : mounts_) found.erase(mount.path);
  followed_ += found.size();
  if (followed_ > kMostFollowed) {
    return make_error(ErrorKind::environment, "links have led what is hidden to too many places");
  }
  for (auto& [unused, name] : found) mounts_.push_back(std::move(name));
  return {};
}

// The directories above what is hidden that could be renamed inside.
std::vector<GuardedMount> MaskWatch::find_pins(const std::vector<GuardedMount>& hidden) {
  std::map<std::string, GuardedMount> pins;
  for (const GuardedMount& mount : hidden) {
    if (!trees_ || !bwrap::hides(mount.guard)) continue;
    for (GuardedMount& pin : bwrap::find_pins_above(sandbox_, *trees_, mount)) {
      if (pins.size() + pinned_ < kMostPinned) pins.try_emplace(pin.path, std::move(pin));
    }
  }
  pinned_ += pins.size();
  std::vector<GuardedMount> all;
  for (auto& [unused, pin] : pins) all.push_back(std::move(pin));
  return all;
}

// Of what was known already only what is concerned, of the rest everything.
std::vector<GuardedMount> MaskWatch::find_lost(const Appeared& appeared, std::size_t known) const {
  std::vector<GuardedMount> lost;
  for (std::size_t at = 0; at < mounts_.size(); ++at) {
    const bool matters = at >= known || is_concerned(appeared, mounts_[at]);
    if (matters && sandbox_.look(mounts_[at]) == GuardState::lost) lost.push_back(mounts_[at]);
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
  const std::size_t known = mounts_.size();
  AGENTCTL_TRY_VOID(hold_names(appeared));
  AGENTCTL_TRY_VOID(restore(find_lost(appeared, known)));
  AGENTCTL_TRY_VOID(watch_directories());
  return restore(find_lost(appeared, known));
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

Result<void> MaskWatch::set_aside_refused(const Appeared& appeared) {
  for (const std::string& name : refused_) {
    const auto& paths = appeared.paths;
    if (!appeared.incomplete && std::find(paths.begin(), paths.end(), name) == paths.end()) continue;
    if (!AGENTCTL_TRY(bwrap::set_aside(name))) continue;
    tell(cat("'", printable(name), "' was made, by which git would take its configuration from elsewhere: renamed to '",
             printable(name), bwrap::kSetAside, "'"));
  }
  return {};
}

void MaskWatch::look_at_end() {
  Appeared everything;
  everything.incomplete = true;
  if (const auto done = set_aside_refused(everything); !done) tell(done.error().message);
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
  const std::size_t known = mounts_.size();
  AGENTCTL_TRY_VOID(follow(open));
  AGENTCTL_TRY_VOID(make_stand(std::move(open)));
  if (mounts_.size() > known) {
    const std::vector<GuardedMount> ends(mounts_.begin() + static_cast<std::ptrdiff_t>(known), mounts_.end());
    std::vector<GuardedMount> pins = find_pins(ends);
    if (!pins.empty()) AGENTCTL_TRY_VOID(make_stand(std::move(pins)));
    AGENTCTL_TRY_VOID(watch_directories());
    AGENTCTL_TRY_VOID(restore(find_lost({}, known)));
  }
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

// What is in a hidden file that has another name, which its owner may have given it, can be read there.
void MaskWatch::look_for_other_names(const std::vector<GuardedMount>& lost) {
  for (const GuardedMount& mount : lost) {
    if (!bwrap::hides(mount.guard)) continue;
    const auto file = sandbox_.open_path(mount.path);
    struct stat status {};
    if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink < 2) continue;
    tell(cat("'", printable(mount.path), "' has a second name: what is in it can be read there"));
  }
}

Result<void> MaskWatch::keep_undersides(const std::vector<GuardedMount>& lost) {
  for (const GuardedMount& mount : lost) {
    if (mount.guard != bwrap::Guard::pin || sandbox_.look(mount) != GuardState::lost) continue;
    auto kept = sandbox_.keep_underside(mount.path);
    const int why = kept ? 0 : kept.error().sys_errno;
    // Those: it is gone, or something else, which whoever puts it back finds out.
    if (why != 0 && why != ENOENT && why != ENOTDIR && why != ELOOP) return kept;
  }
  return {};
}

// Nothing of the session runs before its agent does, when there is no loop yet.
Result<void> MaskWatch::prove_released(const std::vector<GuardedMount>& restored, const Freeze& freeze) const {
  const auto matters = [](const GuardedMount& mount) { return bwrap::keeps_from_writing(mount.guard); };
  if (loop_ == nullptr || std::none_of(restored.begin(), restored.end(), matters)) return {};
  AGENTCTL_TRY_VOID(freeze.wait());
  const std::vector<pid_t> pids =
      cgroup_ != nullptr ? cgroup_->pids() : bwrap::find_processes_in(sandbox_.mount_namespace());
  return bwrap::prove_released(restored, pids);
}

Result<void> MaskWatch::make_stand(std::vector<GuardedMount> lost) {
  Freeze freeze(cgroup_);
  for (GuardedMount& pin : find_pins(lost)) lost.push_back(std::move(pin));
  const std::vector<GuardedMount> all = lost;
  const std::uint64_t deadline = monotonic_usec() + kRestoreDeadlineUsec;
  while (!lost.empty()) {
    look_for_other_names(lost);
    Result<void> restored = keep_undersides(lost);
    if (restored) restored = bwrap::restore_mounts(sandbox_, lost);
    if (restored) {
      // Before it is thawed: what it writes from then on is in the copy that is held.
      for (const GuardedMount& mount : lost) {
        if (mount.guard == bwrap::Guard::copy) AGENTCTL_TRY_VOID(hold(mount));
      }
      std::erase_if(lost, [&](const GuardedMount& mount) { return sandbox_.look(mount) != GuardState::lost; });
      if (!lost.empty() && monotonic_usec() < deadline) continue;
      restored = lost.empty() ? prove_released(all, freeze)
                              : make_error(ErrorKind::environment,
                                           cat("'", printable(lost.front().path), "' does not stay as it was put"));
      if (restored) break;
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
