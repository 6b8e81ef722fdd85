// SPDX-License-Identifier: Apache-2.0
// MaskWatch: keeps the masks and read-only binds of a running session in place when the host replaces what they cover
// (guarded_mount.h), and masks what comes to match a glob of [files] hide (glob_watch.h). Asleep until a name appears
// in one of their directories; then, if one is lost, the session is frozen, the mount put back from outside, the
// session thawed. Between the host's change and the freeze, which is the time that the kernel takes to wake us, the new
// file can be opened inside: this is no substitute for keeping secrets in a hidden directory, whose mask does not
// depend on the names in it. A change that this kernel does not make itself (by another machine, on a network file
// system) is not seen.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/directory_watch.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "bwrap/glob_watch.h"
#include "bwrap/guarded_mount.h"
#include "bwrap/host_trees.h"
#include "bwrap/sandbox_view.h"
#include "units/cgroup.h"

namespace agentctl::manager {

class Freeze;

class MaskWatch {
 public:
  // `mounts` are what find_guarded_mounts() finds in the plan. For the sandbox of process `inside`, before its mounts
  // are proven: what is replaced from then on is not missed. `globs` has watched since it looked for what the plan
  // hides. Nothing when neither needs it.
  [[nodiscard]] static Result<std::unique_ptr<MaskWatch>> open(const bwrap::Plan& plan,
                                                               std::vector<bwrap::GuardedMount> mounts, pid_t inside,
                                                               bwrap::GlobWatch globs);

  // Puts back what has been lost since open(), and masks what is new; before the agent runs.
  [[nodiscard]] Result<void> settle();

  struct Callbacks {
    std::function<void(const std::string& sentence)> restored;  // once a path
    std::function<void(const Error&)> failed;                   // the session may not go on
  };
  // `cgroup` is what to freeze; none with --no-limits. Both outlive the watch.
  void connect(EventLoop& loop, const units::Cgroup* cgroup, Callbacks callbacks);

  // Everything inside has ended: what was made last of what may not be there.
  void look_at_end();

  // One line for each mount that had to be put back, and for each that was new, with how often.
  [[nodiscard]] std::vector<std::string> summary() const;

  MaskWatch(const MaskWatch&) = delete;
  MaskWatch& operator=(const MaskWatch&) = delete;
  ~MaskWatch();

 private:
  MaskWatch(std::vector<bwrap::GuardedMount> mounts, bwrap::SandboxView sandbox, bwrap::GlobWatch globs,
            DirectoryWatch* directories)
      : mounts_(std::move(mounts)), sandbox_(std::move(sandbox)), globs_(std::move(globs)), directories_(directories) {}

  void on_ready();
  [[nodiscard]] Result<void> take_events();
  [[nodiscard]] Result<void> check(const Appeared& appeared);
  [[nodiscard]] Result<void> hold_names(const Appeared& appeared);
  [[nodiscard]] Result<void> follow(const std::vector<bwrap::GuardedMount>& hidden);
  [[nodiscard]] std::vector<bwrap::GuardedMount> find_pins(const std::vector<bwrap::GuardedMount>& hidden);
  [[nodiscard]] std::vector<bwrap::GuardedMount> find_lost(const Appeared& appeared, std::size_t known) const;
  [[nodiscard]] Result<void> restore(const std::vector<bwrap::GuardedMount>& lost);
  void look_for_other_names(const std::vector<bwrap::GuardedMount>& lost);
  [[nodiscard]] Result<void> keep_undersides(const std::vector<bwrap::GuardedMount>& lost);
  [[nodiscard]] Result<void> prove_released(const std::vector<bwrap::GuardedMount>& restored,
                                            const Freeze& freeze) const;
  [[nodiscard]] Result<void> make_stand(std::vector<bwrap::GuardedMount> lost);
  [[nodiscard]] Result<void> watch_directories();
  [[nodiscard]] Result<void> hide_new(const Appeared& appeared);
  [[nodiscard]] Result<void> hide(const std::vector<bwrap::NewMatch>& matches);
  void tell(const std::string& line);
  [[nodiscard]] Result<void> set_aside_refused(const Appeared& appeared);
  [[nodiscard]] Result<void> hold(const bwrap::GuardedMount& copy);
  void rest();

  std::vector<bwrap::GuardedMount> mounts_;
  bwrap::SandboxView sandbox_;
  bwrap::GlobWatch globs_;
  std::optional<bwrap::HostTrees> trees_;  // only where something is hidden
  DirectoryWatch* directories_;            // of globs_
  EventLoop* loop_ = nullptr;
  const units::Cgroup* cgroup_ = nullptr;
  Callbacks callbacks_;
  std::vector<std::string> refused_;      // names at which nothing may stand
  std::map<std::string, unsigned> told_;  // how often, by line
  std::size_t untold_ = 0;                // new masks beyond those that are told by name
  std::size_t followed_ = 0;              // names that links made since the start lead to
  std::size_t pinned_ = 0;                // directories above what has been hidden since the start
};

}  // namespace agentctl::manager
