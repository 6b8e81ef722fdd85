// SPDX-License-Identifier: Apache-2.0
// Directories of ours on the host that a session writes: its cache, and the home of home = "persistent". They lie in
// our state directory, one of each for every project, and no session sees those of another. A session may have put
// anything into its home, a symbolic link at the place of the next mount too, which bwrap would follow to the host. So
// a home serves one session at a time, and before each every mount point in it is walked to without following links and
// made if it is missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/paths.h"

namespace agentctl::bwrap {

struct MountPoint {
  std::string below;     // relative to the home
  HostPath source;       // what is mounted there, for its type; empty is a directory
  bool is_copy = false;  // not a mount: source is copied there unless something is there already
  bool is_link = false;  // bwrap makes a symbolic link there: the one that it made last time goes
};

struct OwnDirectories {
  std::string cache;  // "": none
  std::string home;   // "": none
  std::vector<MountPoint> mount_points;
};

// One name for one canonical path, and never the same for two; long ones have "/" in them.
// "/home/ada/a-shop" -> "home!ada!a-shop"
[[nodiscard]] std::string name_of_path(const std::string& canonical);
// The path that has this name; nothing for what is no such name, or but a piece of one.
[[nodiscard]] std::optional<std::string> path_of_name(const std::string& name);

// Makes what is missing (0700); the time at which a cache was changed last is that of its last use. What comes back
// holds the home until it is closed. Errors: the home is in use by another session; a link or a file in the way of a
// mount point; not ours.
[[nodiscard]] Result<UniqueFd> prepare(const OwnDirectories& directories);

}  // namespace agentctl::bwrap
