// SPDX-License-Identifier: Apache-2.0
// Follows one path after another component by component, remembering what it has seen. Reads only; what it says may be
// outdated at once, so nothing safe may rest on it alone (see safe_path.h).
#pragma once

#include <map>
#include <string>

#include "bwrap/host_facts.h"

namespace agentctl::bwrap {

class PathResolver {
 public:
  // `absolute` may hold ".", ".." and double slashes; ".." is taken physically, as the kernel does.
  [[nodiscard]] PathFact resolve(const std::string& absolute);

 private:
  struct Seen {
    PathKind kind = PathKind::absent;
    bool link = false;
    std::string target;
  };
  const Seen& look(const std::string& path);

  std::map<std::string, Seen> seen_;
};

// "/a/./b//../c" as "/a/c": by the text alone.
[[nodiscard]] std::string normalize_path(const std::string& absolute);
[[nodiscard]] std::string parent_path(const std::string& path);  // "/a/b" -> "/a", "/a" -> "/"
[[nodiscard]] std::string join_path(const std::string& directory, const std::string& name);

}  // namespace agentctl::bwrap
