// SPDX-License-Identifier: Apache-2.0
// What the ignore files of one working tree say of paths in it: .gitignore in each directory on the way, and the
// repository's info/exclude. They may be the agent's: no link is followed, there is a deadline, and what is too large
// or takes too long counts for a line that has all files not ignored. What the user's own configuration names is
// ignore_list.h's. Source: gitignore(5).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/unique_fd.h"
#include "bwrap/ignore_file.h"

namespace agentctl::bwrap {

class IgnoreLookup {
 public:
  // `top` of the working tree, canonical; `common` is its repository's directory, where info/exclude is; the deadline
  // is one of monotonic_usec().
  IgnoreLookup(const std::string& top, const std::string& common, std::uint64_t deadline_usec);

  // Of a file by its path below `top`, the directories above it considered.
  [[nodiscard]] IgnoreVerdict look(const std::string& below);

 private:
  [[nodiscard]] IgnoreVerdict look_at(const std::string& below, bool is_directory);
  const IgnoreFile& file_of(const std::string& directory);  // below the top, "" for itself

  const std::uint64_t deadline_usec_;
  UniqueFd top_;
  IgnoreFile exclude_;
  std::map<std::string, IgnoreFile> files_;
};

}  // namespace agentctl::bwrap
