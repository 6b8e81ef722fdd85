// SPDX-License-Identifier: Apache-2.0
#include "units/cgroup.h"
#include "units/manager_connection.h"

namespace agentctl::units {
Result<Cgroup> Cgroup::open(const std::string&) { return make_error(ErrorKind::environment, "cgroups are not read yet"); }
EffectiveLimits Cgroup::read_limits() const { return {}; }
CgroupUsage Cgroup::read_usage() const { return {}; }
std::vector<pid_t> Cgroup::pids() const { return {}; }
bool Cgroup::populated() const { return false; }
bool Cgroup::exists() const { return false; }
bool Cgroup::frozen() const { return false; }
Result<UniqueFd> Cgroup::open_events() const { return make_error(ErrorKind::environment, "cgroups are not read yet"); }
Result<void> Cgroup::kill() const { return {}; }
Result<void> Cgroup::thaw() const { return {}; }
Result<Membership> read_membership(pid_t) { return Membership{}; }
Result<void> prove_membership(pid_t, const Cgroup&, bool) { return make_error(ErrorKind::environment, "not proven"); }
Result<std::unique_ptr<ManagerConnection>> connect_manager(ManagerKind, const std::string&, const Deadlines&) {
  return make_error(ErrorKind::environment, "no manager is reached yet");
}
void remove_private_subtree(const std::string&) {}
}  // namespace agentctl::units
