// SPDX-License-Identifier: Apache-2.0
// LateMounts: the mounts of a plan that bwrap is not asked for, because it reads the whole mount table for each (0.15
// ms a bind; a mount(2) of ours is a few microseconds) and takes no more than 9000 arguments. mount_helper.h makes them
// from outside, before the stage may go on. They are masks (mask_mounts.h), pins in which bwrap mounts nothing, and the
// files and directories of the host's /etc that are shown as they are: bwrap binds that directory once, read-only, at
// kLateSource; each is bound from there to its place, and kLateSource taken away again. The sandbox is the same either
// way, and sandbox_proof.h holds it against the same plan.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

inline constexpr const char* kLateRoot = "/etc";
inline constexpr const char* kLateSource = "/etc/.host";

struct MountInPlace {
  std::string path;
  bool is_mask = false;    // else a pin
  bool directory = false;  // mask: of what type it is
};

class LateMounts {
 public:
  // None: bwrap does everything, as on a line that somebody could type.
  LateMounts() = default;
  // Pure. Leaves to bwrap what is not shown as it is, and whatever has something else mounted in it.
  explicit LateMounts(const Plan& plan);

  [[nodiscard]] bool empty() const { return binds_.empty() && in_place_.empty(); }
  // Whether bwrap is not to be given this operation: a late one, or the sealing of the directory that the binds lie in.
  [[nodiscard]] bool takes(const Operation& operation) const;

  // Destinations in the order in which to mount them: a directory before what lies in it.
  [[nodiscard]] const std::vector<std::string>& binds() const { return binds_; }
  // Masks and pins in the order in which to mount them.
  [[nodiscard]] const std::vector<MountInPlace>& in_place() const { return in_place_; }
  [[nodiscard]] bool has_masks() const { return has_masks_; }

 private:
  void find_binds(const Plan& plan);
  void find_in_place(const Plan& plan);

  std::vector<std::string> binds_;
  std::vector<MountInPlace> in_place_;
  std::set<std::string> places_;  // of in_place_
  bool has_masks_ = false;
};

}  // namespace agentctl::bwrap
