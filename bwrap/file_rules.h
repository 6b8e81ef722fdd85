// SPDX-License-Identifier: Apache-2.0
// The home and the [files] of the policy, put into a Layout. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// Every path that [files] names, expanded: what HostFacts::paths must know of.
[[nodiscard]] std::vector<std::string> named_paths(const policy::FileSettings& files, const std::string& home,
                                                   const std::string& project);

// private: an empty tmpfs of at most `tmpfs_bytes`; read-only: the user's own home, never writable.
[[nodiscard]] Result<void> add_home(const policy::FileSettings& files, const HostFacts& facts,
                                    std::uint64_t tmpfs_bytes, Layout& layout);
// Refuses a required path that is missing, what has no place in [files] (devices, sockets, "/", our own stage) and
// globs.
[[nodiscard]] Result<void> add_file_rules(const policy::FileSettings& files, const HostFacts& facts, Layout& layout,
                                          std::vector<std::string>& warnings);

}  // namespace agentctl::bwrap
