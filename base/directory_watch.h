// SPDX-License-Identifier: Apache-2.0
// DirectoryWatch: which names appear in some directories (name_events.h): made, moved there or linked there.
// What goes away is not told. Costs nothing while nothing happens; its owner polls fd(). It sees what this kernel does
// to a directory, under whatever path or in whatever mount namespace; not what another machine does to a network file
// system. Two sorts: those that watch() names, a few, told by their paths; and
// those that keep() adds one by one, thousands perhaps, told by number.
#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/name_events.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl {

struct WatchedDirectory {
  std::string path;  // only a name for it: the descriptor says which directory it is
  UniqueFd fd;       // may be O_PATH; not needed any longer once watched
};

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
  // An Error of kind environment, with a remedy, when what the user may have of them is used up.
  [[nodiscard]] static Result<DirectoryWatch> create();
  [[nodiscard]] static Result<DirectoryWatch> create(NameEvents::Source source);

  DirectoryWatch(DirectoryWatch&&) noexcept = default;
  DirectoryWatch& operator=(DirectoryWatch&&) noexcept = default;
  ~DirectoryWatch();

  [[nodiscard]] int fd() const { return events_.fd(); }
  // Watches exactly these from now on. One that was watched before goes on without a gap.
  [[nodiscard]] Result<void> watch(const std::vector<WatchedDirectory>& directories);
  // Watches this one, too, until it is removed or forgotten. One directory has one number, however often it is kept.
  [[nodiscard]] Result<int> keep(const std::string& path, int fd);
  void forget(int watch);
  // Never waits.
  [[nodiscard]] Result<Appeared> read();

 private:
  explicit DirectoryWatch(NameEvents events) : events_(std::move(events)) {}
  void take(const NameEvent& event, Appeared& appeared);

  NameEvents events_;
  std::map<int, std::vector<std::string>> paths_;  // by watch: one directory may have several names
  std::unordered_set<int> kept_;
};

}  // namespace agentctl
