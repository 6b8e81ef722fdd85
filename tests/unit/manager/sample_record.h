// SPDX-License-Identifier: Apache-2.0
// A record with every field set, for tests that show or store one.
#pragma once

#include "manager/record.h"

namespace agentctl::manager {

[[nodiscard]] inline Record sample_record() {
  Record record;
  record.id = "1a2b3c4d";
  record.name = "claude-webshop";
  record.state = "running";
  record.profile = "claude";
  record.project = "/home/ada/webshop";
  record.command = {"claude", "--continue"};
  record.parent_kind = "caller";
  record.parent_pid = 4700;
  record.started_usec = 1'700'000'000'000'000;
  record.unit = "app-agentctl-1a2b3c4d.scope";
  record.slice = "app-agentctl.slice";
  record.manager = "user";
  record.manager_version = 252;
  record.cgroup_path = "/user.slice/app-agentctl-1a2b3c4d.scope";
  record.cgroup_directory = "/sys/fs/cgroup/user.slice/app-agentctl-1a2b3c4d.scope";
  record.cgroup_id = 9876;
  record.cgroup_version = 2;
  record.limits.memory_max = 2ULL << 30;
  record.limits.memory_high = 1ULL << 30;
  record.limits.cpu_quota_per_sec_usec = 1'500'000;
  record.limits.cpu_weight = 50;
  record.limits.tasks_max = 4096;
  record.limits.io_weight = 70;
  record.runtime_max_usec = UINT64_MAX;
  record.network = "host";
  record.hosts_allowed = {"*.example.com", "example.org:22"};
  record.hosts_denied = {"x.example.com"};
  record.hosts_changed = {"allow example.org:22"};
  record.tty = "/dev/pts/7";
  record.supervisor = {4711, 123456};
  record.leader = {4715, 123460};
  record.boot_id = "0c5e4f6e-0000-4000-8000-0123456789ab";
  record.namespaces = {"user", "pid", "mnt"};
  record.hidden = {"/home/ada/webshop/.env"};
  record.project_rules = {"hide /home/ada/webshop/.env", "protect /home/ada/webshop/.git/config"};
  record.writable = {"/home/ada/webshop"};
  record.warnings = {"network: shared with the host"};
  record.surface_roots = {"/home/ada/webshop"};
  record.surface_mark = {1'700'000'000'000'000'000, 5'000'000'000};
  return record;
}

// What a door has decided.
[[nodiscard]] inline DoorRecord sample_door() {
  return {12, 3, "'a.net:443' is denied: no rule allows it", "agentctl allow claude-webshop a.net"};
}

}  // namespace agentctl::manager
