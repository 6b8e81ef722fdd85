// SPDX-License-Identifier: Apache-2.0
#include "bwrap/host_mounts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "bwrap/mount_table.h"

namespace agentctl::bwrap {
namespace {

constexpr std::uint64_t kLongestUsec = 1'200'000;
constexpr std::uint64_t kShortestUsec = 20'000;  // when others have used up the time
constexpr std::size_t kMostAskedAtOnce = 64;

constexpr std::string_view kTypes[] = {
    kAutomount, "nfs",       "nfs4",   "cifs",     "smb3", "smbfs",    "ncpfs",  "9p",     "ceph",   "afs",  "coda",
    "lustre",   "glusterfs", "beegfs", "orangefs", "gpfs", "virtiofs", "vboxsf", "vmhgfs", "prl_fs", "fuse", "fuseblk"};

bool is_remote(std::string_view type) {
  return type.starts_with("fuse.") || std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

bool is_below(const std::string& path, const std::string& tree) { return path != tree && starts_with_path(path, tree); }

}  // namespace

std::string describe(const SilentMount& mount) {
  return cat("'", printable(mount.path), "' (", printable(mount.type), ") does not answer");
}

HostMounts::HostMounts(std::string_view mountinfo) {
  // A mount covers the earlier ones at its place.
  for (MountEntry& mount : parse_mountinfo(mountinfo)) types_[std::move(mount.mount_point)] = std::move(mount.type);
  for (const auto& [path, type] : types_) {
    if (is_remote(type)) remote_.push_back({path, type, std::nullopt});
  }
}

Result<HostMounts> HostMounts::read() { return HostMounts(AGENTCTL_TRY(read_file("/proc/self/mountinfo", 8U << 20))); }

bool HostMounts::has_below(const std::string& directory) const {
  return std::any_of(types_.begin(), types_.end(), [&](const auto& mount) { return is_below(mount.first, directory); });
}

std::uint64_t HostMounts::deadline() {
  const std::uint64_t now = monotonic_usec();
  if (deadline_usec_ == 0) {
    deadline_usec_ = now + kLongestUsec;
    std::size_t asked = 0;
    for (Mount& mount : remote_) {
      if (mount.type == kAutomount || asked++ == kMostAskedAtOnce) continue;
      mount.inquiry.emplace(mount.path, RemoteInquiry::Way::status);
    }
  }
  return std::max(deadline_usec_, now + kShortestUsec);
}

bool HostMounts::answers(Mount& mount) {
  const std::uint64_t until = deadline();
  if (!mount.inquiry) mount.inquiry.emplace(mount.path, RemoteInquiry::Way::status);
  return mount.inquiry->is_answered(until);
}

bool HostMounts::answers_as_automount(const std::string& path) {
  const auto [entry, added] = automounts_.try_emplace(path, false);
  if (added) entry->second = RemoteInquiry(path, RemoteInquiry::Way::entry).is_answered(deadline());
  return entry->second;
}

std::optional<SilentMount> HostMounts::find_silent(const std::string& path) {
  for (Mount& mount : remote_) {
    if (!starts_with_path(path, mount.path)) continue;
    const bool reached = mount.type == kAutomount ? answers_as_automount(path) : answers(mount);
    if (!reached) return SilentMount{mount.path, mount.type};
  }
  return std::nullopt;
}

std::vector<SilentMount> HostMounts::silent_below(const std::vector<std::string>& trees) {
  std::vector<SilentMount> silent;
  for (Mount& mount : remote_) {
    const auto holds = [&](const std::string& tree) { return is_below(mount.path, tree); };
    if (std::none_of(trees.begin(), trees.end(), holds)) continue;
    const auto lies_in = [&](const SilentMount& outer) { return starts_with_path(mount.path, outer.path); };
    if (std::any_of(silent.begin(), silent.end(), lies_in)) continue;
    const bool in_use = mount.type == kAutomount ? was_automounted(mount.path) : answers(mount);
    if (!in_use) silent.push_back({mount.path, mount.type});
  }
  return silent;
}

// Since the table was read: somebody named it, and it answered.
bool HostMounts::was_automounted(const std::string& path) const {
  const auto asked = automounts_.find(path);
  return asked != automounts_.end() && asked->second;
}

bool HostMounts::is_idle_automount(const std::string& path) const {
  return std::any_of(remote_.begin(), remote_.end(),
                     [&](const Mount& mount) { return mount.type == kAutomount && mount.path == path; });
}

}  // namespace agentctl::bwrap
