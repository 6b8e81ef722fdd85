// SPDX-License-Identifier: Apache-2.0
// LateMounts: the binds of a plan that bwrap is not asked for, because it reads the whole mount table for each (0.15 ms
// a bind; a mount(2) of ours is a few microseconds). They are the files and directories of the host's /etc that are
// shown as they are. bwrap binds that directory once, read-only, at kLateSource; mount_helper.h binds each from there
// to its place, and takes kLateSource away again, before the stage may go on. The sandbox is the same either way, and
// sandbox_proof.h holds it against the same plan.
#pragma once

#include <string>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

inline constexpr const char* kLateRoot = "/etc";
inline constexpr const char* kLateSource = "/etc/.host";

class LateMounts {
 public:
  // None: bwrap does everything, as on a line that somebody could type.
  LateMounts() = default;
  // Pure. Leaves to bwrap what is not shown as it is, and whatever has something else mounted in it.
  explicit LateMounts(const Plan& plan);

  [[nodiscard]] bool empty() const { return destinations_.empty(); }
  // Whether bwrap is not to be given this operation: a late bind, or the sealing of the directory they lie in.
  [[nodiscard]] bool takes(const Operation& operation) const;
  // In the order in which to mount them: a directory before what lies in it.
  [[nodiscard]] const std::vector<std::string>& destinations() const { return destinations_; }

 private:
  std::vector<std::string> destinations_;
};

}  // namespace agentctl::bwrap
