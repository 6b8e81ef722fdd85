// SPDX-License-Identifier: Apache-2.0
// The directories that a walk went through and what a glob matched in them; and how many matches become few: where all
// that lies in a directory matches, the directory stands for it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace agentctl::bwrap {

struct WalkedDirectory {
  std::string path;        // canonical
  std::size_t parent = 0;  // an index; a directory comes after its parent, the first is its own
  std::size_t entries = 0;
  bool is_read = false;  // to its end: else nobody knows what lies in it
};

struct GlobHit {
  std::size_t directory = 0;  // an index
  std::string name;
};

struct Collapsed {
  std::string path;      // of the directory
  std::size_t hits = 0;  // that it stands for
};

struct CollapsedHits {
  std::vector<Collapsed> directories;  // the shallowest ones in which everything matches
  std::vector<GlobHit> hits;           // those elsewhere
};

// A directory that holds one of the paths `kept`, or is one, is not taken as a whole.
[[nodiscard]] CollapsedHits collapse_hits(const std::vector<WalkedDirectory>& directories, std::vector<GlobHit> hits,
                                          const std::vector<std::string>& kept);

}  // namespace agentctl::bwrap
