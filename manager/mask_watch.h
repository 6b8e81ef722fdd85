// SPDX-License-Identifier: Apache-2.0
// MaskWatch: keeps the masks and read-only binds of a running session in place when the host replaces what they cover
// (guarded_mount.h). Asleep until a name appears in one of their directories; then, if one is lost, the session is
// frozen, the mount put back from outside, the session thawed. Between the host's change and the freeze, which is
// the time that the kernel takes to wake us, the new file can be opened inside: this is no substitute for keeping
// secrets in a hidden directory, whose mask does not depend on the names in it. A change that this kernel does not make
// itself (by another machine, on a network file system) is not seen.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/directory_watch.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "bwrap/guarded_mount.h"
#include "bwrap/sandbox_view.h"
#include "units/cgroup.h"

namespace agentctl::manager {

class MaskWatch {
 public:
  // For the sandbox of process `inside`, before its mounts are proven: what is replaced from then on is not missed.
  // Nothing when no mount of the plan needs it.
  [[nodiscard]] static Result<std::unique_ptr<MaskWatch>> open(const bwrap::Plan& plan, pid_t inside);

  // Puts back what has been lost since open(); before the agent runs.
  [[nodiscard]] Result<void> settle();

  struct Callbacks {
    std::function<void(const std::string& sentence)> restored;  // once a path
    std::function<void(const Error&)> failed;                   // the session may not go on
  };
  // `cgroup` is what to freeze; none with --no-limits. Both outlive the watch.
  void connect(EventLoop& loop, const units::Cgroup* cgroup, Callbacks callbacks);

  // One line for each mount that had to be put back, with how often.
  [[nodiscard]] std::vector<std::string> summary() const;

  MaskWatch(const MaskWatch&) = delete;
  MaskWatch& operator=(const MaskWatch&) = delete;
  ~MaskWatch();

 private:
  MaskWatch(std::vector<bwrap::GuardedMount> mounts, bwrap::SandboxView sandbox, DirectoryWatch directories)
      : mounts_(std::move(mounts)), sandbox_(std::move(sandbox)), directories_(std::move(directories)) {}

  void on_ready();
  [[nodiscard]] Result<void> take_events();
  [[nodiscard]] Result<void> check(const Appeared& appeared);
  [[nodiscard]] std::vector<bwrap::GuardedMount> find_lost(const Appeared& appeared) const;
  [[nodiscard]] Result<void> restore(const std::vector<bwrap::GuardedMount>& lost);
  [[nodiscard]] Result<void> make_stand(std::vector<bwrap::GuardedMount> lost) const;
  [[nodiscard]] Result<void> watch_directories();
  void rest();

  std::vector<bwrap::GuardedMount> mounts_;
  bwrap::SandboxView sandbox_;
  DirectoryWatch directories_;
  EventLoop* loop_ = nullptr;
  const units::Cgroup* cgroup_ = nullptr;
  Callbacks callbacks_;
  std::map<std::string, unsigned> restored_;  // how often, by path
};

}  // namespace agentctl::manager
