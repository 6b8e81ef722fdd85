// SPDX-License-Identifier: Apache-2.0
// What lies in one directory of a tree that may be the agent's: opened without following a link or entering another
// file system. Sources: openat2(2), readdir(3).
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::bwrap {

struct DirectoryEntry {
  std::string_view name;  // valid during the call only
  bool is_directory = false;
  ino_t inode = 0;
};
// `directory` is the open one. An error ends the reading.
using SeeDirectoryEntry = std::function<Result<void>(int directory, const DirectoryEntry& entry)>;

// Called with the directory before it is read: false leaves it unread.
using BeforeEntries = std::function<Result<bool>(const UniqueFd& directory)>;

// "" is the root itself. The errors of open_directory_beneath() (safe_path.h) keep their errno.
[[nodiscard]] Result<void> read_directory_beneath(int root, const std::string& below, const SeeDirectoryEntry& see,
                                                  const BeforeEntries& before = {});

}  // namespace agentctl::bwrap
