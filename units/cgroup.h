// SPDX-License-Identifier: Apache-2.0
// Cgroup: one control group, held open by directory descriptor, so that another that later takes its name is never
// mistaken for it (reads then fail with ENODEV). Unified (v2) or, on a hybrid host, the same path in each v1 hierarchy
// plus the unified tree without controllers. Sources: kernel Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
// It does not protect against the owner of the tree moving processes about: watch membership for that.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "units/limits.h"

namespace agentctl::units {

struct CgroupUsage {                         // absent: the kernel or the version has no such file
  std::optional<std::uint64_t> memory;       // bytes now
  std::optional<std::uint64_t> memory_peak;  // bytes
  std::optional<std::uint64_t> cpu_usec;
  std::optional<std::uint64_t> throttled_usec;
  std::optional<std::uint64_t> tasks;
  std::optional<std::uint64_t> tasks_peak;
  std::optional<std::uint64_t> io_read_bytes;
  std::optional<std::uint64_t> io_write_bytes;
  std::uint64_t oom_kills = 0;        // memory.events oom_kill; v1: memory.oom_control oom_kill
  std::uint64_t memory_max_hits = 0;  // memory.events max
  std::uint64_t tasks_max_hits = 0;   // pids.events max: forks refused
};

// Where the kernel shows cgroups and processes. Only tests name other places, which are not cgroup file systems.
struct CgroupRoots {
  std::string cgroups = "/sys/fs/cgroup";
  std::string proc = "/proc";
  bool kernel_only = true;  // refuse directories that are not of a cgroup file system (statfs(2))
};

class Cgroup {
 public:
  // `path` as /proc/PID/cgroup shows it to this process, e.g. "/user.slice/…/x.scope"; on a hybrid host in the unified
  // tree. A private manager's subtree may lie elsewhere in a v1 hierarchy: it is found there through a member.
  [[nodiscard]] static Result<Cgroup> open(const std::string& path, const CgroupRoots& roots = {});

  [[nodiscard]] int version() const { return version_; }           // 2, or 1 for hybrid and legacy
  [[nodiscard]] const std::string& path() const { return path_; }  // as given
  // The directory to hand to tracers: in the unified tree where there is one, else in name=systemd.
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }  // inode number of that directory == kernel's cgroup id

  [[nodiscard]] EffectiveLimits read_limits() const;
  [[nodiscard]] std::vector<std::string> controllers() const;  // cgroup.controllers; none on v1
  [[nodiscard]] CgroupUsage read_usage() const;
  [[nodiscard]] std::vector<pid_t> pids() const;  // this cgroup and those below it
  [[nodiscard]] bool populated() const;           // false too when it is gone
  // Puts a process of the caller's in, in every hierarchy. EACCES where the kernel wants more: an ordinary user must be
  // able to write the cgroup.procs of the nearest cgroup above both places, too (cgroup-v2.rst, delegation).
  [[nodiscard]] Result<void> adopt(pid_t pid) const;
  [[nodiscard]] bool exists() const;
  [[nodiscard]] bool frozen() const;

  // A descriptor for poll(POLLPRI) that wakes when cgroup.events changes; invalid on a host without a unified tree.
  [[nodiscard]] Result<UniqueFd> open_events() const;

  // cgroup.kill where the kernel has it, else SIGKILL to every member until none is left or nothing changes. Kills the
  // members of cgroups below too. A cgroup that is gone is success.
  [[nodiscard]] Result<void> kill() const;
  // The same, one by one, for a member that must live to finish it.
  [[nodiscard]] Result<void> kill_others(pid_t spared) const;
  // Asks for it and does not wait: each process stops before it next runs instructions of its own. SIGKILL still ends
  // it. Gives false where that cannot be had: the v1 freezer holds even SIGKILL back, so that processes which are
  // frozen when their supervisor dies would stay for ever.
  [[nodiscard]] Result<bool> freeze() const;
  [[nodiscard]] bool freezes() const;  // freeze() was asked for, by us or by somebody else
  [[nodiscard]] Result<void> thaw() const;

 private:
  friend Result<void> prove_membership(pid_t pid, const Cgroup& cgroup, bool with_cpu);
  void open_v1_hierarchies();
  [[nodiscard]] Result<void> kill_one_by_one(pid_t spared) const;

  CgroupRoots roots_;
  int version_ = 2;
  std::string path_;
  std::string directory_;
  std::uint64_t id_ = 0;
  UniqueFd unified_;  // cgroup2 directory; on a hybrid host without controllers
  UniqueFd memory_, cpu_, cpuacct_, pids_, blkio_, systemd_, freezer_;  // v1 hierarchies; invalid on v2
};

// Where a process is. v2: the path of the "0::" line. Hybrid: unified path plus those of the controllers.
struct Membership {
  std::string unified;                     // "" when there is no "0::" line
  std::string memory, cpu, pids, systemd;  // v1 paths, "" on v2
};
[[nodiscard]] Result<Membership> read_membership(pid_t pid, const std::string& proc = "/proc");
[[nodiscard]] Membership parse_membership(std::string_view proc_cgroup_text);  // pure
// The v1 path for one controller, or "". Pure.
[[nodiscard]] std::string find_controller_path(std::string_view proc_cgroup_text, std::string_view controller);

// That every hierarchy which enforces something for `cgroup` has `pid` in it. On failure says where the process is.
// v1: `cpu` is asked for only when `with_cpu` (systemd makes no cpu cgroup for a scope without a quota or weight).
[[nodiscard]] Result<void> prove_membership(pid_t pid, const Cgroup& cgroup, bool with_cpu);

}  // namespace agentctl::units
