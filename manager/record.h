// SPDX-License-Identifier: Apache-2.0
// Record: what a running session says of itself, one directory a session in the runtime directory: `record`, lines of
// KEY=value as systemd keeps its own state, and `control`, the supervisor's socket. Written before the agent's first
// instruction and replaced atomically. A record is a claim: whoever reads it proves it by pid, start time and boot id.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "manager/exec_surface.h"
#include "units/limits.h"

namespace agentctl::manager {

// What the door of a session with the network mode allowlist has decided so far.
struct DoorRecord {
  std::uint64_t allowed = 0;
  std::uint64_t denied = 0;
  std::string denial;  // the last: "'example.com:443' is denied: no rule allows it"; empty: none
  std::string remedy;  // what allows it: "agentctl allow claude-webshop example.com"
};

struct Record {
  std::string id;
  std::string name;
  std::string state;  // starting running frozen stopping
  std::string profile;
  std::string project;  // canonical
  std::vector<std::string> command;
  std::string parent_kind;  // caller, pid
  pid_t parent_pid = 0;
  std::uint64_t started_usec = 0;  // CLOCK_REALTIME
  std::string unit;
  std::string slice;
  std::string manager;  // user system private none
  int manager_version = 0;
  ProcessIdentity manager_process;  // of a private manager; pid 0: it is another's
  std::string cgroup_path;          // below the cgroup mount
  std::string cgroup_directory;     // what tracers take
  std::uint64_t cgroup_id = 0;
  int cgroup_version = 0;
  units::ScopeLimits limits;  // asked
  bool unlimited = false;     // --no-limits
  bool nested = false;        // it has the filter that allows namespaces
  std::string directory;      // the project as it is named inside
  std::uint64_t runtime_max_usec = 0;
  std::string network;                     // none allowlist nat host
  std::vector<std::string> published;      // ports on this machine's loopback: "3000", "8080:3000"
  std::vector<std::string> hosts_allowed;  // with allowlist, rules in force: "*.example.com", "example.org:22"
  std::vector<std::string> hosts_denied;
  std::vector<std::string> hosts_changed;  // those of them that were added while it runs: "allow example.org:22"
  DoorRecord door;
  std::string tty;  // the pty's name, or empty
  ProcessIdentity supervisor;
  ProcessIdentity leader;  // the agent
  std::string boot_id;
  std::vector<std::string> namespaces;
  std::vector<std::string> hidden;
  std::vector<std::string> project_rules;  // what it takes away in the project (bwrap/project_rules.h)
  std::vector<std::string> writable;
  std::vector<std::string> warnings;
  // For the receipt of a session whose supervisor is killed: where the exec surface lies, and since when it counts.
  std::vector<std::string> surface_roots;
  SurfaceMark surface_mark;
};

[[nodiscard]] std::string serialize(const Record& record);
[[nodiscard]] Result<Record> parse_record(std::string_view text);

// As much of it as tells whether the rest matters.
struct RecordHead {
  std::string id, name, project;
  pid_t supervisor = 0;
  std::string boot_id;
};
[[nodiscard]] Result<RecordHead> parse_record_head(std::string_view text);

}  // namespace agentctl::manager
