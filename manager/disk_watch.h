// SPDX-License-Identifier: Apache-2.0
// DiskWatch: tells when a session may soon have filled a file system of the host's that it writes. There is no quota
// for one session that a user could set, so this is no wall: it is looked for, at most every ten seconds, when the
// supervisor is awake anyway, and by a timer of its own only where little is left. A session that writes fast and
// prints nothing may be through before. File systems of a network, which may not answer, are not looked at. Source:
// statfs(2).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

struct DiskSpace {
  std::uint64_t size = 0;  // bytes
  std::uint64_t free = 0;  // to an ordinary user
};
// What should stay free: a fiftieth, and 1 GiB at most. Pure.
[[nodiscard]] std::uint64_t low_mark(const DiskSpace& space);
// When to look again where nothing else happens: by the time that writing down to the mark takes at 1 GiB a second,
// from one second to ten; not at all where that is longer. Pure.
[[nodiscard]] std::optional<std::uint64_t> usec_until_look(const DiskSpace& space, std::uint64_t mark);

class DiskWatch {
 public:
  // `places`: directories; those in one file system count once. `loop` outlives this. `is_low` hears a sentence once,
  // and again when half of what was free then is gone, too, or after there was room again.
  DiskWatch(EventLoop& loop, const std::vector<std::string>& places, std::function<void(const std::string&)> is_low);
  DiskWatch(const DiskWatch&) = delete;
  DiskWatch& operator=(const DiskWatch&) = delete;
  ~DiskWatch();

  // To be called whenever the loop is awake.
  void look_if_due();
  // A session that stands still writes nothing.
  void set_paused(bool is_paused);

 private:
  struct Disk {
    std::string place;
    UniqueFd directory;
    std::uint64_t mark;
  };
  void look();

  EventLoop& loop_;
  std::function<void(const std::string&)> is_low_;
  std::vector<Disk> disks_;
  bool is_paused_ = false;
  std::uint64_t due_usec_ = 0;
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace agentctl::manager
