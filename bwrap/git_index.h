// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of a git index: which paths git tracks, and the id of what it has of each. Pure. Versions 2 to 4 with
// SHA-1 or SHA-256. Whoever writes the project writes its index, so a fault anywhere makes the whole of it unreadable;
// the checksum at its end, which anybody can make, is not looked at. Source: gitformat-index(5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace agentctl::bwrap {

inline constexpr std::size_t kMostIndexBytes = 64U << 20;

enum class GitHash { sha1, sha256 };

struct GitIndexEntry {
  std::string_view path;  // relative to the working tree; valid during the call only
  std::string_view id;    // of the blob, as bytes
  std::uint32_t mode = 0;
};
using SeeGitIndexEntry = std::function<void(const GitIndexEntry& entry)>;

// Calls `see` for each entry, sorted by path; of a path in conflict there are several. Refuses, with a hint (kind
// policy), what lists only a part of the tracked files: a split index, sparse directories.
[[nodiscard]] Result<void> read_git_index(std::string_view bytes, GitHash hash, const SeeGitIndexEntry& see);

}  // namespace agentctl::bwrap
