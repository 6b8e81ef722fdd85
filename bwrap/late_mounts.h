// SPDX-License-Identifier: Apache-2.0
// LateMounts: the mounts of a plan that bwrap is not asked for, because it reads the whole mount table for each (0.15
// ms a bind; a mount(2) of ours is a few microseconds) and takes no more than 9000 arguments. mount_helper.h makes them
// from outside, before the stage may go on. They are masks (mask_mounts.h); pins in which bwrap mounts nothing; the
// files and directories that are shown as they are in a tmpfs at one of Plan::late_roots: bwrap binds the host's
// directory once, read-only, at kLateSource in that tmpfs; each is bound from there to its place, and kLateSource taken
// away again; and the seals (remount_read_only). The sandbox is the same either way, and
// sandbox_proof.h holds it against the same plan.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

inline constexpr const char* kLateSource = "/.host";

struct LateTree {
  std::string root;                // a tmpfs inside, a directory of the host
  std::vector<std::string> binds;  // destinations in the order in which to mount them: a directory before what is in it

  [[nodiscard]] std::string source() const { return root + kLateSource; }
};

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

  // Whether bwrap is not to be given this operation.
  [[nodiscard]] bool takes(const Operation& operation) const;

  [[nodiscard]] const std::vector<LateTree>& trees() const { return trees_; }
  [[nodiscard]] const LateTree* tree_at(const std::string& root) const;
  // Masks and pins in the order in which to mount them.
  [[nodiscard]] const std::vector<MountInPlace>& in_place() const { return in_place_; }
  [[nodiscard]] bool has_masks() const { return has_masks_; }
  // What becomes read-only once everything else stands, in this order.
  [[nodiscard]] const std::vector<std::string>& seals() const { return seals_; }

 private:
  void find_trees(const Plan& plan);
  void find_in_place(const Plan& plan);
  void find_seals(const Plan& plan);

  std::vector<LateTree> trees_;
  std::vector<MountInPlace> in_place_;
  std::unordered_set<std::string> places_;  // of both
  bool has_masks_ = false;
  std::vector<std::string> seals_;
};

}  // namespace agentctl::bwrap
