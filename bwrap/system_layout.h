// SPDX-License-Identifier: Apache-2.0
// What every sandbox shows of the system, whatever the policy says: programs and libraries, a short list of /etc, and
// fresh /proc, /dev, /tmp, /var/tmp, /dev/shm and runtime directory. No /sys, no sockets, nothing of /run but our
// stage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// "/bin", "/usr", "/nix" …: what HostFacts::root_entries is made from.
[[nodiscard]] const std::vector<std::string>& root_entry_names();
// Every further path that add_system_layout() looks up in HostFacts::paths.
[[nodiscard]] const std::vector<std::string>& system_path_names();

struct SystemChoice {
  policy::NetworkMode network = policy::NetworkMode::none;
  std::uint64_t tmpfs_bytes = 0;  // for each of /tmp, /var/tmp, /dev/shm
};

[[nodiscard]] Result<void> add_system_layout(const HostFacts& facts, const SystemChoice& choice, Layout& layout,
                                             std::vector<std::string>& warnings);

[[nodiscard]] std::string runtime_directory(uid_t uid);  // XDG_RUNTIME_DIR inside
[[nodiscard]] Result<const PathFact*> find_fact(const HostFacts& facts, const std::string& name);

}  // namespace agentctl::bwrap
