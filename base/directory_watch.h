// SPDX-License-Identifier: Apache-2.0
// DirectoryWatch: which names appear in some directories, by one inotify instance: made, moved there or linked there.
// What goes away is not told. Costs nothing while nothing happens; its owner polls fd(). It sees what this kernel does
// to a directory, under whatever path or in whatever mount namespace; not what another machine does to a network file
// system. A user has 128 instances as a rule. Source: inotify(7).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl {

struct WatchedDirectory {
  std::string path;  // only a name for it: the descriptor says which directory it is
  UniqueFd fd;       // may be O_PATH; not needed any longer once watched
};

struct InotifyEvent {
  int watch = -1;
  bool overflow = false;  // events before this one were dropped
  std::string name;
};
// What read(2) on an inotify descriptor gave. Pure.
[[nodiscard]] std::vector<InotifyEvent> parse_inotify(std::string_view bytes);

struct Appeared {
  std::vector<std::string> paths;  // of what appeared
  bool incomplete = false;         // the kernel dropped some: anything may have appeared
  bool crowded = false;            // many at once: more are likely to wait
};

class DirectoryWatch {
 public:
  // An Error of kind environment, with a remedy, when the user's instances are used up.
  [[nodiscard]] static Result<DirectoryWatch> create();

  [[nodiscard]] int fd() const { return inotify_.get(); }
  // Watches exactly these from now on. One that was watched before goes on without a gap.
  [[nodiscard]] Result<void> watch(const std::vector<WatchedDirectory>& directories);
  // Never waits.
  [[nodiscard]] Result<Appeared> read();

 private:
  explicit DirectoryWatch(UniqueFd inotify) : inotify_(std::move(inotify)) {}
  UniqueFd inotify_;
  std::map<int, std::vector<std::string>> paths_;  // by watch: one directory may have several names
};

}  // namespace agentctl
