// SPDX-License-Identifier: Apache-2.0
// LateMounts: the mounts of a plan that bwrap is not asked for, because it reads the whole mount table for each (0.15
// ms a bind; a mount(2) of ours is a few microseconds) and takes no more than 9000 arguments. mount_helper.h makes them
// from outside, before the stage may go on. They are:
//
// Masks (mask_mounts.h), pins, what is bound read-only over itself in a tree of the host's, and copies in any tree that
// is bound; of pins and binds those in which bwrap mounts nothing. bwrap would follow a link that has come to stand on
// the way to such a place, and make what is missing where that leads (CVE-2026-87766). A copy bwrap puts at
// kCopySource, from where it is bound and taken away again.
//
// What is shown as it is in a tmpfs at one of Plan::late_roots: bwrap binds the host's directory once, read-only, at
// kLateSource in that tmpfs; each is bound from there to its place, and kLateSource taken away again.
//
// The seals (remount_read_only).
//
// The sandbox is the same either way, and sandbox_proof.h holds it against the same plan.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

inline constexpr const char* kLateSource = "/.host";
inline constexpr const char* kCopySource = "/run/agentctl/.copies";

struct LateTree {
  std::string root;                // a tmpfs inside, a directory of the host
  std::vector<std::string> binds;  // destinations in the order in which to mount them: a directory before what is in it

  [[nodiscard]] std::string source() const { return root + kLateSource; }
};

enum class InPlace {
  mask,
  pin,
  read_only,  // a pin, of a file too, through which nobody writes
  copy,
};

struct MountInPlace {
  std::string path;
  InPlace kind = InPlace::pin;
  bool directory = false;  // mask: of what type it is
  std::string source{};    // copy: where bwrap has put it
};

class LateMounts {
 public:
  // None: bwrap does everything, as on a line that somebody could type.
  LateMounts() = default;
  // Pure. Leaves to bwrap what is not shown as it is, and whatever has something else mounted in it.
  explicit LateMounts(const Plan& plan);

  // Where bwrap is to put a copy that comes late; "" for any other operation.
  [[nodiscard]] std::string copy_source(const Operation& operation) const;
  // Whether bwrap is not to be given this operation at all.
  [[nodiscard]] bool takes(const Operation& operation) const;

  [[nodiscard]] const std::vector<LateTree>& trees() const { return trees_; }
  [[nodiscard]] const LateTree* tree_at(const std::string& root) const;
  // In the order in which to mount them.
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
  std::unordered_set<std::string> places_;  // of both, but for copies
  std::unordered_map<std::string, std::string> copies_;
  bool has_masks_ = false;
  std::vector<std::string> seals_;
};

}  // namespace agentctl::bwrap
