// SPDX-License-Identifier: Apache-2.0
// Where things of ours live: records of running sessions in the runtime directory, receipts in the state directory.
// Both are 0700 and ours, or they are refused.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

struct RuntimeDir {
  UniqueFd fd;
  std::string path;
  bool is_fallback = false;  // no XDG_RUNTIME_DIR: a directory of our own (cron, su, root); to be told
};

// $XDG_RUNTIME_DIR/agentctl where that variable names a directory of ours, else /run/user/UID/agentctl, else (root)
// /run/agentctl, else /tmp/agentctl-UID.
[[nodiscard]] Result<RuntimeDir> open_runtime_dir();

// Every directory of the list above that exists and is ours: a session recorded from cron is found from a login, too.
[[nodiscard]] std::vector<std::string> existing_runtime_dirs();

// $XDG_STATE_HOME/agentctl, else ~/.local/state/agentctl.
[[nodiscard]] Result<std::string> state_dir_path();
// ~/.config/agentctl, or below $XDG_CONFIG_HOME.
[[nodiscard]] Result<std::string> config_dir_path();
// Without links, where it exists: dotfiles are often kept elsewhere, behind one. own_directory() proves the end.
[[nodiscard]] std::string existing_name(const std::string& directory);
// The receipts' directory, proven writable.
[[nodiscard]] Result<UniqueFd> open_receipts_dir();

}  // namespace agentctl::manager
