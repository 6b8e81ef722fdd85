// SPDX-License-Identifier: Apache-2.0
#include "units/hierarchies.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "units/cgroup.h"

namespace agentctl::units {
namespace {

constexpr std::string_view kRoot = "/sys/fs/cgroup";
// Options of a super block that say nothing of which hierarchy it is.
constexpr std::array<std::string_view, 5> kOthers = {"rw", "ro", "relatime", "seclabel", "clone_children"};

struct Mount {
  std::string root;
  std::string point;
  std::string type;
  std::vector<std::string> options;  // of the super block
};

// "36 35 0:30 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory"
std::optional<Mount> parse_mount(const std::string& line) {
  const std::vector<std::string> words = split(line, ' ');
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (words.size() < 6 || words.end() - dash < 4) return std::nullopt;
  return Mount{words[3], words[4], dash[1], split(dash[3], ',')};
}

// What of a v1 super block's options names the hierarchy: controllers and the name.
std::string naming_options(const std::vector<std::string>& options) {
  std::vector<std::string> kept;
  bool controller = false;
  for (const std::string& option : options) {
    const bool other = std::find(kOthers.begin(), kOthers.end(), option) != kOthers.end();
    if (other || option.starts_with("release_agent=")) continue;
    controller |= !option.starts_with("name=") && option != "xattr" && option != "noprefix";
    kept.push_back(option);
  }
  if (!controller) kept.insert(kept.begin(), "none");
  return join(kept, ",");
}

std::string own_path(const Mount& mount, std::string_view proc_cgroup) {
  if (mount.type == "cgroup2") return parse_membership(proc_cgroup).unified;
  for (const std::string& option : mount.options) {
    std::string path = find_controller_path(proc_cgroup, option);
    if (!path.empty()) return path;
  }
  return {};
}

}  // namespace

Result<std::vector<Hierarchy>> parse_hierarchies(std::string_view mountinfo, std::string_view proc_cgroup) {
  std::vector<Hierarchy> hierarchies;
  for (const std::string& line : split(mountinfo, '\n')) {
    const auto mount = parse_mount(line);
    if (!mount || !starts_with_path(mount->point, kRoot)) continue;
    std::erase_if(hierarchies,
                  [&](const Hierarchy& older) { return starts_with_path(older.mount_point, mount->point); });
    if (mount->type != "cgroup" && mount->type != "cgroup2") continue;
    const std::string path = own_path(*mount, proc_cgroup);
    const bool inside = path.starts_with('/') && starts_with_path(path, mount->root) &&
                        cat(path, "/").find("/../") == std::string::npos;
    if (!inside) {
      return make_error(ErrorKind::environment,
                        cat("cannot use the cgroups at '", mount->point, "': this process is in none that it shows"),
                        "mount the cgroup file systems afresh, in the cgroup namespace of this process");
    }
    std::string own = mount->root == "/" ? path : path.substr(mount->root.size());
    if (own == "/") own.clear();
    const bool unified = mount->type == "cgroup2";
    hierarchies.push_back({mount->point, unified, unified ? "" : naming_options(mount->options), std::move(own)});
  }
  return hierarchies;
}

Result<std::vector<Hierarchy>> read_hierarchies() {
  const std::string mountinfo = AGENTCTL_TRY(read_file("/proc/self/mountinfo", 16U << 20));
  const std::string own = AGENTCTL_TRY(read_file("/proc/self/cgroup"));
  return parse_hierarchies(mountinfo, own);
}

const Hierarchy* find_naming_hierarchy(const std::vector<Hierarchy>& hierarchies) {
  const Hierarchy* named = nullptr;
  for (const Hierarchy& hierarchy : hierarchies) {
    if (hierarchy.unified) return &hierarchy;
    if (hierarchy.options.find("name=systemd") != std::string::npos) named = &hierarchy;
  }
  return named;
}

}  // namespace agentctl::units
