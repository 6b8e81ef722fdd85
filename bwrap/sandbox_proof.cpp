// SPDX-License-Identifier: Apache-2.0
#include "bwrap/sandbox_proof.h"

#include <sys/stat.h>

#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/bind_proof.h"
#include "bwrap/mask_mounts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

std::string_view expected_type(OperationKind kind) {
  switch (kind) {
    case OperationKind::tmpfs:
    case OperationKind::mask:
    case OperationKind::dev:
      return "tmpfs";
    case OperationKind::proc:
      return "proc";
    case OperationKind::bind:
    case OperationKind::bind_device:
    case OperationKind::bind_project:
    case OperationKind::pin:
    case OperationKind::bind_stage:
    case OperationKind::directory:
    case OperationKind::symlink:
    case OperationKind::copy:
    case OperationKind::data:
    case OperationKind::remount_read_only:
      return {};
  }
  return {};
}

bool makes_a_mount(OperationKind kind) {
  return kind == OperationKind::bind || kind == OperationKind::bind_project || kind == OperationKind::bind_stage ||
         kind == OperationKind::bind_device || kind == OperationKind::pin || kind == OperationKind::tmpfs ||
         kind == OperationKind::proc || kind == OperationKind::dev;
}

// What a mount point must look like in the end, after every operation on it.
struct Expected {
  std::string_view type;
  bool read_only = false;
  bool recursive = false;   // mounts below it may come along
  std::string_view root{};  // within the file system at kMaskSource
};

// By mount point; the plan holds the paths.
using Expectations = std::unordered_map<std::string_view, Expected>;

Expectations expectations(const Plan& plan) {
  Expectations expected;
  expected["/"] = {"tmpfs", false, false};
  for (const Operation& operation : plan.operations) {
    const std::string& at = operation.destination.str();
    if (operation.kind == OperationKind::mask) {
      expected[at] = {"tmpfs", true, false, operation.directory ? kMaskDirectory : kMaskFile};
      expected[kMaskSource] = {"tmpfs", true, false, "/"};
    } else if (makes_a_mount(operation.kind)) {
      const bool is_bind = expected_type(operation.kind).empty();
      expected[at] = {expected_type(operation.kind), is_bind && operation.access == Access::read_only,
                      is_bind || operation.kind == OperationKind::dev || operation.kind == OperationKind::proc};
    } else if (operation.kind == OperationKind::remount_read_only) {
      expected[at].read_only = true;
    }
  }
  return expected;
}

bool is_explained(std::string_view mount_point, const Expectations& expected) {
  if (expected.contains(mount_point)) return true;
  for (std::string_view at = mount_point; at != "/";) {
    at = parent_of(at);
    const auto above = expected.find(at);
    if (above != expected.end() && above->second.recursive) return true;
  }
  return false;
}

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

std::vector<std::string> compare_mounts(const Plan& plan, const std::vector<MountEntry>& mounts) {
  const Expectations expected = expectations(plan);
  std::unordered_map<std::string_view, const MountEntry*> topmost;
  std::vector<std::string> differences;
  for (const MountEntry& mount : mounts) {
    topmost[mount.mount_point] = &mount;  // the table lists mounts in the order made: the last one covers the others
    if (!is_explained(mount.mount_point, expected)) {
      differences.push_back(cat("an unplanned mount at '", printable(mount.mount_point), "'"));
    }
  }
  const auto source = topmost.find(kMaskSource);
  std::map<std::string_view, std::string> missed;  // in the order of the paths, for whoever reads it
  for (const auto& [at, wanted] : expected) {
    const auto found = topmost.find(at);
    if (found == topmost.end()) {
      missed[at] = cat("no mount at '", printable(at), "'");
    } else if (!wanted.type.empty() && found->second->type != wanted.type) {
      missed[at] = cat("'", printable(at), "' is ", printable(found->second->type), ", not ", wanted.type);
    } else if (wanted.read_only && !found->second->read_only) {
      missed[at] = cat("'", printable(at), "' is writable");
    } else if (!wanted.root.empty() && (source == topmost.end() || found->second->root != wanted.root ||
                                        found->second->device != source->second->device)) {
      missed[at] = cat("'", printable(at), "' is not covered by what is empty");
    }
  }
  for (auto& [unused, difference] : missed) differences.push_back(std::move(difference));
  return differences;
}

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
    } else if (std::string_view(name) != "net" || !plan.share_network) {
      differences.push_back(cat("its ", name, " namespace is ours"));
    }
  }
  AGENTCTL_TRY_VOID(refuse(differences));
  return own;
}

Result<void> prove_walls(pid_t pid, const Plan& plan, std::size_t filters) {
  const std::string status = AGENTCTL_TRY(read_file(cat("/proc/", pid, "/status")));
  const std::string mountinfo = AGENTCTL_TRY(read_file(cat("/proc/", pid, "/mountinfo"), 8U << 20));
  std::vector<std::string> differences = compare_status(status, filters);
  const std::vector<MountEntry> mounts = parse_mountinfo(mountinfo);
  for (std::vector<std::string> more : {compare_mounts(plan, mounts), compare_propagation(mounts),
                                        compare_bind_roots(plan, mounts), compare_identities(pid, plan)}) {
    std::move(more.begin(), more.end(), std::back_inserter(differences));
  }
  return refuse(differences);
}

}  // namespace agentctl::bwrap
