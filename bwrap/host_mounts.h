// SPDX-License-Identifier: Apache-2.0
// HostMounts: what the host has mounted where, and which of those mounts do not answer: the file systems that depend on
// somebody else (network file systems, FUSE, automount points). What lies on one is told by mountinfo; whether it
// answers is asked once for each, when the first path on any is looked at, for all at the same time. All questions of
// one HostMounts together take no longer than 1.2 seconds, so that a start takes less than 2.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bwrap/remote_inquiry.h"

namespace agentctl::bwrap {

inline constexpr std::string_view kAutomount = "autofs";

struct SilentMount {
  std::string path;  // the mount point
  std::string type;  // "nfs4"; kAutomount where nothing has used an automount point yet, which is not asked
};

[[nodiscard]] std::string describe(const SilentMount& mount);  // "'/mnt/x' (nfs4) does not answer"

class HostMounts {
 public:
  HostMounts() = default;  // none
  explicit HostMounts(std::string_view mountinfo);
  [[nodiscard]] static Result<HostMounts> read();  // of our own mount namespace

  [[nodiscard]] bool has_remote() const { return !remote_.empty(); }
  [[nodiscard]] bool has_below(const std::string& directory) const;
  // Whether a path without links leads to a mount that does not answer, or into one.
  [[nodiscard]] std::optional<SilentMount> find_silent(const std::string& path);
  // Those below one of `trees`, the outermost only, and the automount points there.
  [[nodiscard]] std::vector<SilentMount> silent_below(const std::vector<std::string>& trees);
  [[nodiscard]] bool is_idle_automount(const std::string& path) const;

 private:
  struct Mount {
    std::string path;
    std::string type;
    std::optional<RemoteInquiry> inquiry;
  };
  [[nodiscard]] std::uint64_t deadline();
  [[nodiscard]] bool answers(Mount& mount);
  [[nodiscard]] bool answers_as_automount(const std::string& path);
  [[nodiscard]] bool was_automounted(const std::string& path) const;

  std::map<std::string, std::string> types_;  // by mount point
  std::vector<Mount> remote_;                 // by path, so the outer ones first
  std::map<std::string, bool> automounts_;
  std::uint64_t deadline_usec_ = 0;
};

}  // namespace agentctl::bwrap
