// SPDX-License-Identifier: Apache-2.0
#include "manager/private_home.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <deque>
#include <map>
#include <memory>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "bwrap/safe_path.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kMostNames = 10;

std::string child_of(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : cat(directory, "/", name);
}

struct Directory {
  std::string relative;  // "": the home itself
  std::string made_in;   // the highest directory above, or this one, that the agent made; "": none
};

}  // namespace

PrivateHome PrivateHome::hold(const bwrap::Plan& plan, pid_t inside) {
  PrivateHome home;
  const std::string& place = plan.private_home;
  if (place.empty()) return home;
  auto fd = open_at(AT_FDCWD, cat("/proc/", inside, "/root", place), O_PATH | O_DIRECTORY | O_NOFOLLOW);
  struct statfs system {};
  if (!fd || ::fstatfs(fd->get(), &system) != 0 || system.f_type != TMPFS_MAGIC) return home;
  home.fd_ = std::move(*fd);
  for (const bwrap::Operation& operation : plan.operations) {
    std::string at = operation.destination.str();
    if (at == place || !starts_with_path(at, place)) continue;
    for (at.erase(0, place.size() + 1); !at.empty(); at.resize(at.rfind('/'))) {
      home.planned_.insert(at);
      if (at.find('/') == std::string::npos) break;
    }
  }
  return home;
}

DroppedFiles PrivateHome::count_dropped(const DropBounds& bounds) const {
  DroppedFiles dropped;
  if (!fd_.valid()) return dropped;
  const std::uint64_t started = monotonic_usec();
  std::size_t entries = 0;
  std::set<std::string> named;
  std::deque<Directory> queue = {{}};
  while (!queue.empty()) {
    const Directory directory = std::move(queue.front());
    queue.pop_front();
    // What is mounted in the home is no part of it.
    const auto fd = bwrap::open_directory_beneath(fd_.get(), directory.relative.empty() ? "." : directory.relative);
    if (!fd && fd.error().sys_errno != EXDEV) dropped.is_all = false;
    const int copy = fd ? ::fcntl(fd->get(), F_DUPFD_CLOEXEC, 0) : -1;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy),
                                                     [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
    while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr) {
      const std::string name(entry->d_name);
      if (name == "." || name == "..") continue;
      if (++entries > bounds.entries || monotonic_usec() - started > bounds.usec) {
        dropped.is_all = false;
        return dropped;
      }
      const std::string relative = child_of(directory.relative, name);
      const bool is_planned = planned_.contains(relative);
      if (entry->d_type == DT_DIR) {
        const bool is_first = directory.made_in.empty() && !is_planned;
        queue.push_back({relative, is_first ? relative + "/" : directory.made_in});
      } else if (!is_planned) {
        ++dropped.count;
        const std::string& shown = directory.made_in.empty() ? relative : directory.made_in;
        if (named.insert(shown).second && dropped.names.size() < kMostNames) dropped.names.push_back("~/" + shown);
      }
    }
  }
  return dropped;
}

}  // namespace agentctl::manager
