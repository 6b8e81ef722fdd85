// SPDX-License-Identifier: Apache-2.0
// Follows one path after another component by component, remembering what it has seen. Reads only; what it says may be
// outdated at once, so nothing safe may rest on it alone (see safe_path.h).
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bwrap/host_facts.h"

namespace agentctl::bwrap {

// What stands at a path, to which no link leads.
struct SeenPlace {
  PathKind kind = PathKind::absent;
  bool link = false;
  bool has_other_names = false;  // see PathFact
  std::string target;            // of the link
  std::string obstacle;          // see PathFact
};

class PathResolver {
 public:
  // What lies on a mount that does not answer is not looked at, and counts as absent.
  explicit PathResolver(HostMounts* mounts = nullptr) : mounts_(mounts) {}
  // Of the files that `look_at` shows, in place of the host's.
  explicit PathResolver(std::function<SeenPlace(const std::string& path)> look_at) : look_at_(std::move(look_at)) {}

  // `absolute` may hold ".", ".." and double slashes; ".." is taken physically, as the kernel does.
  [[nodiscard]] PathFact resolve(const std::string& absolute);
  [[nodiscard]] bool is_idle_automount(const std::string& path) const {
    return mounts_ != nullptr && mounts_->is_idle_automount(path);
  }

 private:
  const SeenPlace& look(const std::string& path);
  // A directory without a link on the way to it: what is looked up next to its like needs but one look.
  bool is_plain_directory(const std::string& normal);

  HostMounts* mounts_ = nullptr;
  std::function<SeenPlace(const std::string& path)> look_at_;
  std::unordered_map<std::string, SeenPlace> seen_;
  std::unordered_map<std::string, bool> plain_;
};

[[nodiscard]] PathKind kind_of(mode_t mode);  // of what is no link

// "/a/./b//../c" as "/a/c": by the text alone.
[[nodiscard]] std::string normalize_path(std::string absolute);
[[nodiscard]] std::string parent_path(const std::string& path);  // "/a/b" -> "/a", "/a" -> "/"
// The same, in the text that is there already.
[[nodiscard]] std::string_view parent_of(std::string_view path);
[[nodiscard]] std::string join_path(const std::string& directory, const std::string& name);

}  // namespace agentctl::bwrap
