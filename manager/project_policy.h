// SPDX-License-Identifier: Apache-2.0
// A project's own .agentctl.toml, read once, through a descriptor of the project's directory and without following a
// link, and whether the user trusts just this content. What is not trusted may only take away (policy_merge.h).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "policy/policy.h"

namespace agentctl::manager {

inline constexpr const char* kProjectPolicyName = ".agentctl.toml";

// The file as it stands; `text` is absent where there is none.
struct ProjectPolicyFile {
  std::string path;       // as the user knows it
  std::string directory;  // canonical
  dev_t device = 0;       // of the directory, so that a later look can tell whether it is still the same
  ino_t inode = 0;
  std::optional<std::string> text;
};
// A directory that is not there has no policy.
[[nodiscard]] Result<ProjectPolicyFile> read_project_policy(const std::string& project);

enum class Trust { none, current, outdated };  // outdated: given for other content
// Reads the user's list of trust, and makes the hash, only where there is a file to trust.
[[nodiscard]] Result<Trust> find_trust(const ProjectPolicyFile& file, const std::string& config_dir);

}  // namespace agentctl::manager
