// SPDX-License-Identifier: Apache-2.0
#include "bwrap/sandbox_proof.h"

#include <sys/stat.h>

#include <iterator>
#include <map>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::bwrap {
namespace {

Result<std::pair<dev_t, ino_t>> namespace_of(const std::string& process, const char* name) {
  struct stat status {};
  const std::string path = cat("/proc/", process, "/ns/", name);
  if (::stat(path.c_str(), &status) != 0) return errno_error(cat("cannot look at '", path, "'"));
  return std::pair{status.st_dev, status.st_ino};
}

Result<void> refuse(const std::vector<std::string>& differences) {
  if (differences.empty()) return {};
  return make_error(ErrorKind::environment,
                    cat("the sandbox is not the one that was planned: ", join(differences, "; ")));
}

}  // namespace

std::vector<std::string> compare_propagation(const std::vector<MountEntry>& mounts) {
  std::vector<std::string> differences;
  for (const MountEntry& mount : mounts) {
    if (mount.receives) differences.push_back(cat("'", printable(mount.mount_point), "' shares mounts with others"));
  }
  return differences;
}

std::vector<std::string> compare_status(std::string_view status_text, std::size_t filters) {
  std::map<std::string, std::string> found;
  for (const std::string& line : split(status_text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) found[line.substr(0, colon)] = trim(std::string_view(line).substr(colon + 1));
  }
  std::vector<std::string> differences;
  const auto expect = [&](const std::string& field, const std::string& wanted) {
    if (found[field] != wanted) differences.push_back(cat(field, " is '", printable(found[field]), "', not ", wanted));
  };
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) expect(set, "0000000000000000");
  expect("NoNewPrivs", "1");
  expect("Seccomp", "2");
  expect("Seccomp_filters", std::to_string(filters));
  return differences;
}

Result<std::vector<std::string>> prove_namespaces(pid_t pid, const Plan& plan) {
  std::vector<std::string> own;
  std::vector<std::string> differences;
  for (const char* name : {"user", "pid", "mnt", "ipc", "uts", "cgroup", "net"}) {
    const auto theirs = AGENTCTL_TRY(namespace_of(std::to_string(pid), name));
    const auto ours = AGENTCTL_TRY(namespace_of("self", name));
    if (theirs != ours) {
      own.emplace_back(name);
    } else if (std::string_view(name) != "net" || plan.network != policy::NetworkMode::host) {
      differences.push_back(cat("its ", name, " namespace is ours"));
    }
  }
  AGENTCTL_TRY_VOID(refuse(differences));
  return own;
}

Result<void> PlannedWalls::prove(pid_t pid, std::size_t filters) const {
  const std::string status = AGENTCTL_TRY(read_file(cat("/proc/", pid, "/status")));
  const std::string mountinfo = AGENTCTL_TRY(read_file(cat("/proc/", pid, "/mountinfo"), 8U << 20));
  std::vector<std::string> differences = compare_status(status, filters);
  const std::vector<MountEntry> mounts = parse_mountinfo(mountinfo);
  for (std::vector<std::string> more : {mounts_.compare(mounts), compare_propagation(mounts),
                                        binds_.compare_roots(mounts), compare_identities(pid, plan_)}) {
    std::move(more.begin(), more.end(), std::back_inserter(differences));
  }
  return refuse(differences);
}

}  // namespace agentctl::bwrap
