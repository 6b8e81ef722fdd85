// SPDX-License-Identifier: Apache-2.0
#include "units/cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "units/cgroup_file.h"

namespace agentctl::units {
namespace {

// A private manager's subtree, wherever in a hierarchy it lies, starts with this component.
constexpr std::string_view kPrivateSubtree = "/agentctl-private-";

bool is_normal(const std::string& path) {
  return path.starts_with('/') && cat(path, "/").find("/../") == std::string::npos && !path.ends_with(" (deleted)");
}

Result<UniqueFd> open_cgroup_dir(const std::string& path, const CgroupRoots& roots) {
  UniqueFd dir = AGENTCTL_TRY(open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY));
  struct statfs status {};
  if (roots.kernel_only && (::fstatfs(dir.get(), &status) != 0 ||
                            (status.f_type != CGROUP2_SUPER_MAGIC && status.f_type != CGROUP_SUPER_MAGIC))) {
    return make_error(ErrorKind::environment, cat("cannot use '", path, "': not a cgroup file system"));
  }
  return dir;
}

bool has_file(const UniqueFd& dir, const char* name) {
  return dir.valid() && ::faccessat(dir.get(), name, F_OK, 0) == 0;
}

UniqueFd open_if_there(const std::string& path, const CgroupRoots& roots) {
  auto dir = open_cgroup_dir(path, roots);
  return dir ? std::move(*dir) : UniqueFd();
}

}  // namespace

Result<Cgroup> Cgroup::open(const std::string& path, const CgroupRoots& roots) {
  if (!is_normal(path)) {
    return make_error(ErrorKind::environment, cat("cannot use the cgroup path '", printable(path),
                                                  "': it is not below the root of our cgroup namespace"));
  }
  Cgroup cgroup;
  cgroup.roots_ = roots;
  cgroup.path_ = path;
  const bool unified_host = ::access(cat(roots.cgroups, "/cgroup.controllers").c_str(), F_OK) == 0;
  cgroup.version_ = unified_host ? 2 : 1;
  cgroup.directory_ = cat(roots.cgroups, unified_host ? "" : "/unified", path);
  if (unified_host) {
    cgroup.unified_ = AGENTCTL_TRY(open_cgroup_dir(cgroup.directory_, roots));
  } else {
    cgroup.unified_ = open_if_there(cgroup.directory_, roots);
    cgroup.systemd_ = open_if_there(cat(roots.cgroups, "/systemd", path), roots);
    if (!cgroup.unified_.valid()) cgroup.directory_ = cat(roots.cgroups, "/systemd", path);
    if (!cgroup.unified_.valid() && !cgroup.systemd_.valid()) {
      return make_error(ErrorKind::environment,
                        cat("cannot find the cgroup '", printable(path), "' below '", roots.cgroups, "'"));
    }
    cgroup.open_v1_hierarchies();
  }
  struct stat status {};
  const UniqueFd& named = cgroup.unified_.valid() ? cgroup.unified_ : cgroup.systemd_;
  if (::fstat(named.get(), &status) != 0)
    return errno_error(cat("cannot read the status of '", cgroup.directory_, "'"));
  cgroup.id_ = status.st_ino;
  return cgroup;
}

void Cgroup::open_v1_hierarchies() {
  std::optional<std::string> member_text;
  const std::size_t subtree = path_.find(kPrivateSubtree);
  if (subtree != std::string::npos) {
    if (const auto members = pids(); !members.empty()) {
      if (auto text = read_file(cat(roots_.proc, "/", members.front(), "/cgroup"))) member_text = std::move(*text);
    }
  }
  const auto open_one = [&](UniqueFd& dir, std::string_view controller) {
    dir = open_if_there(cat(roots_.cgroups, "/", controller, path_), roots_);
    if (dir.valid() || !member_text) return;
    const std::string path = find_controller_path(*member_text, controller);
    const std::string_view below = std::string_view(path_).substr(subtree);
    const std::size_t at = path.rfind(below);
    const std::size_t end = at + below.size();  // the member may be in a cgroup further down
    if (!is_normal(path) || at == std::string::npos || (end < path.size() && path[end] != '/')) return;
    dir = open_if_there(cat(roots_.cgroups, "/", controller, path.substr(0, end)), roots_);
  };
  open_one(memory_, "memory");
  open_one(cpu_, "cpu");
  open_one(cpuacct_, "cpuacct");
  open_one(pids_, "pids");
  open_one(blkio_, "blkio");
  open_one(freezer_, "freezer");
}

bool Cgroup::exists() const { return has_file(unified_.valid() ? unified_ : systemd_, "cgroup.procs"); }

bool Cgroup::frozen() const {
  if (const auto events = read_text(unified_, "cgroup.events")) {
    if (find_value(*events, "frozen") == 1U) return true;
  }
  const auto state = read_text(freezer_, "freezer.state");
  return state && trim(*state) != "THAWED";
}

Result<bool> Cgroup::freeze() const {
  if (!has_file(unified_, "cgroup.freeze")) return false;
  AGENTCTL_TRY_VOID(
      with_context(cat("cannot freeze '", path_, "'"), write_control_file_at(unified_.get(), "cgroup.freeze", "1")));
  return true;
}

bool Cgroup::freezes() const { return read_number(unified_, "cgroup.freeze") == 1U; }

Result<void> Cgroup::thaw() const {
  if (has_file(unified_, "cgroup.freeze")) {
    AGENTCTL_TRY_VOID(
        with_context(cat("cannot thaw '", path_, "'"), write_control_file_at(unified_.get(), "cgroup.freeze", "0")));
  }
  if (has_file(freezer_, "freezer.state")) {
    AGENTCTL_TRY_VOID(with_context(cat("cannot thaw '", path_, "'"),
                                   write_control_file_at(freezer_.get(), "freezer.state", "THAWED")));
  }
  return {};
}

Result<UniqueFd> Cgroup::open_events() const {
  if (!unified_.valid()) {
    return make_error(ErrorKind::environment, "cannot watch the cgroup: this host has no unified cgroup tree");
  }
  return open_at(unified_.get(), "cgroup.events", O_RDONLY);
}

}  // namespace agentctl::units
