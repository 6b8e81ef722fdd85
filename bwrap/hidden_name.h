// SPDX-License-Identifier: Apache-2.0
// HiddenName: a name at which something may come to stand that the policy hides. A mask covers what is there when a
// session starts; nothing can be masked where nothing is, and where a link is the mask is on what it leads to. A host
// that makes the file later, or replaces the link by a file (`sed -i` does), would show it. Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/host_facts.h"

namespace agentctl::bwrap {

struct HiddenName {
  std::string path;  // no link leads to it
  std::string link;  // the text of the link that stands there and may stay; "" where nothing stands
  std::string origin;

  friend bool operator==(const HiddenName&, const HiddenName&) = default;
};

// Of a hidden path: each link on the way, the path below each of them as it would be if that were a directory, and what
// is missing at its end.
[[nodiscard]] std::vector<HiddenName> find_hidden_names(const PathFact& fact, const std::string& origin);

// Where those names would appear: directories without a link on the way to them. A name is nothing to hold on to; as
// long as these stay where they are, it means the same on the host and inside.
[[nodiscard]] std::vector<std::string> directories_of_names(const PathFact& fact);

}  // namespace agentctl::bwrap
