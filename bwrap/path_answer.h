// SPDX-License-Identifier: Apache-2.0
// What a session of a plan sees at a path, and which rule decided it: the plan's mounts and links walked as the kernel
// will walk them inside. Pure but for the look at the host, which the caller gives.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

// One name on the host, its last link not followed.
struct HostEntry {
  enum class Kind { absent, file, directory, link, unreachable } kind = Kind::absent;
  std::string target;     // of a link
  bool readable = false;  // to a process of the caller's without privileges
  bool writable = false;
};
using LookAtHost = std::function<HostEntry(const std::string& path)>;

enum class Visibility { absent, hidden, read_only, writable, copy, made_anew };
[[nodiscard]] std::string_view to_string(Visibility visibility);  // "read-only"

struct PathAnswer {
  Visibility visibility = Visibility::absent;
  std::string end;                 // where the path ends inside, without links; or where it is not found any more
  std::vector<std::string> links;  // "/home/ada/.vimrc -> dotfiles/vimrc", in the order met
  std::string rule;                // the origin of what decided
  std::string why;                 // "no rule shows it; on the host it is there"
  bool readable = false;           // what test -r and test -w will say inside
  bool writable = false;
};

// `path` is absolute and may hold "." and "..".
[[nodiscard]] PathAnswer explain_path(const Plan& plan, const std::string& path, const LookAtHost& look);

}  // namespace agentctl::bwrap
