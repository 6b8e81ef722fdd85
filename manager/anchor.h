// SPDX-License-Identifier: Apache-2.0
// Anchor: a process of ours that stays in the scope and does nothing, so that the cgroup, which systemd removes as soon as it is
// empty, is still there when its last figures are read. It ignores TERM, dies with its supervisor (PDEATHSIG), and is
// killed at destruction.
#pragma once

#include <sys/types.h>

#include <utility>

#include "base/result.h"

namespace agentctl::manager {

class Anchor {
 public:
  [[nodiscard]] static Result<Anchor> fork();
  Anchor(Anchor&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Anchor& operator=(Anchor&&) = delete;
  ~Anchor() { drop(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void drop();  // kills and reaps it

 private:
  explicit Anchor(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

}  // namespace agentctl::manager
