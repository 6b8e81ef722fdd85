// SPDX-License-Identifier: Apache-2.0
// Freeze: a session stands still while this lives. Not where its cgroup cannot be frozen (units/cgroup.h), nor with
// --no-limits, where there is none.
#pragma once

#include "base/result.h"
#include "units/cgroup.h"

namespace agentctl::manager {

class Freeze {
 public:
  // Asks for it. What somebody else has frozen stays frozen.
  explicit Freeze(const units::Cgroup* cgroup);
  Freeze(const Freeze&) = delete;
  Freeze& operator=(const Freeze&) = delete;
  ~Freeze();

  // Until no process of it is in the middle of a system call; a second at most.
  [[nodiscard]] Result<void> wait() const;
  void keep() { cgroup_ = nullptr; }  // it stays frozen

 private:
  const units::Cgroup* cgroup_ = nullptr;  // to be thawed
  const units::Cgroup* frozen_ = nullptr;
};

}  // namespace agentctl::manager
