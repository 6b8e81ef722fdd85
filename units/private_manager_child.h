// SPDX-License-Identifier: Apache-2.0
// What the child does between fork and exec to become a private manager. Everything it needs is made before the fork.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "units/private_subtree.h"

namespace agentctl::units {

// Where the manager's runtime directory is, in its own mount namespace.
inline constexpr const char* kPrivateRuntimeDir = "/run/user/0";
// What it says of its failures, there too.
inline constexpr const char* kPrivateLog = "/run/user/0/log";

struct ManagerChild {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<std::string> procs_files;  // of the subtree, one a hierarchy
  std::vector<Hierarchy> hierarchies;
  pid_t parent = 0;
  int report = -1;  // one FailedStep on failure; end of file at exec
};

enum class ManagerStep : std::int32_t { parent_death, cgroups, namespaces, mounts, runtime_dir, streams, exec };
struct FailedStep {
  ManagerStep step;
  std::int32_t error;
};
[[nodiscard]] const char* describe(ManagerStep step);

[[noreturn]] void run_manager_child(const ManagerChild& child);

}  // namespace agentctl::units
