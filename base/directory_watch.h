// SPDX-License-Identifier: Apache-2.0
// DirectoryWatch: which names appear in some directories, by one inotify instance: made, moved there or linked there.
// What goes away is not told. Costs nothing while nothing happens; its owner polls fd(). It sees what this kernel does
// to a directory, under whatever path or in whatever mount namespace; not what another machine does to a network file
// system. A user has 128 instances as a rule. Two sorts: those that watch() names, a few, told by their paths; and
// those that keep() adds one by one, thousands perhaps, told by number. Source: inotify(7).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
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
  bool overflow = false;   // events before this one were dropped
  bool removed = false;    // the watch is no more: its directory was removed
  bool directory = false;  // what has the name is one
  std::string name;
};
// What read(2) on an inotify descriptor gave. Pure.
[[nodiscard]] std::vector<InotifyEvent> parse_inotify(std::string_view bytes);

struct NewName {
  int watch = -1;  // of keep()
  std::string name;
  bool directory = false;
};

struct Appeared {
  std::vector<std::string> paths;  // of what appeared
  bool incomplete = false;         // some are left out: anything may have appeared
  bool crowded = false;            // many at once: more are likely to wait
  std::vector<NewName> names;      // in the kept directories; all of them, in order, unless some were dropped
  bool dropped = false;            // by the kernel: anything may have appeared in the kept ones, too
  std::vector<int> gone;           // kept directories that were removed
};

class DirectoryWatch {
 public:
  // An Error of kind environment, with a remedy, when the user's instances are used up.
  [[nodiscard]] static Result<DirectoryWatch> create();

  DirectoryWatch(DirectoryWatch&&) noexcept = default;
  DirectoryWatch& operator=(DirectoryWatch&&) noexcept = default;
  ~DirectoryWatch();

  [[nodiscard]] int fd() const { return inotify_.get(); }
  // Watches exactly these from now on. One that was watched before goes on without a gap.
  [[nodiscard]] Result<void> watch(const std::vector<WatchedDirectory>& directories);
  // Watches this one, too, until it is removed or forgotten. One directory has one number, however often it is kept.
  [[nodiscard]] Result<int> keep(const std::string& path, int fd);
  void forget(int watch);
  // Never waits.
  [[nodiscard]] Result<Appeared> read();

 private:
  explicit DirectoryWatch(UniqueFd inotify) : inotify_(std::move(inotify)) {}
  [[nodiscard]] Result<int> add(const std::string& path, int fd) const;
  void take(const InotifyEvent& event, Appeared& appeared);

  UniqueFd inotify_;
  std::map<int, std::vector<std::string>> paths_;  // by watch: one directory may have several names
  std::unordered_set<int> kept_;
};

}  // namespace agentctl
