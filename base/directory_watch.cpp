// SPDX-License-Identifier: Apache-2.0
#include "base/directory_watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "base/slow_close.h"
#include "base/text.h"

namespace agentctl {
namespace {

constexpr std::size_t kBufferBytes = 16'384;

}  // namespace

Result<DirectoryWatch> DirectoryWatch::create() { return DirectoryWatch(AGENTCTL_TRY(NameEvents::open())); }

Result<DirectoryWatch> DirectoryWatch::create(NameEvents::Source source) {
  return DirectoryWatch(AGENTCTL_TRY(NameEvents::open(source)));
}

Result<void> DirectoryWatch::watch(const std::vector<WatchedDirectory>& directories) {
  std::map<int, std::vector<std::string>> paths;
  for (const WatchedDirectory& directory : directories) {
    paths[AGENTCTL_TRY(events_.add(directory.path, directory.fd.get()))].push_back(directory.path);
  }
  for (const auto& [watch, unused] : paths_) {
    if (!paths.contains(watch) && !kept_.contains(watch)) events_.remove(watch);
  }
  paths_ = std::move(paths);
  return {};
}

Result<int> DirectoryWatch::keep(const std::string& path, int fd) {
  const int watch = AGENTCTL_TRY(events_.add(path, fd));
  kept_.insert(watch);
  return watch;
}

void DirectoryWatch::forget(int watch) {
  if (kept_.erase(watch) != 0 && !paths_.contains(watch)) events_.remove(watch);
}

void DirectoryWatch::take(const NameEvent& event, Appeared& appeared) {
  appeared.dropped = appeared.dropped || event.overflow;
  appeared.incomplete = appeared.incomplete || event.overflow;
  if (event.removed && kept_.erase(event.watch) != 0) appeared.gone.push_back(event.watch);
  if (event.name.empty()) return;
  if (kept_.contains(event.watch)) appeared.names.push_back({event.watch, event.name, event.directory});
  const auto watched = paths_.find(event.watch);
  if (watched == paths_.end() || appeared.crowded) return;
  for (const std::string& directory : watched->second) {
    appeared.paths.push_back(cat(directory, directory == "/" ? "" : "/", event.name));
  }
}

// The kernel is done with a watch only some milliseconds after it was given up, and closing waits for that.
DirectoryWatch::~DirectoryWatch() { close_without_waiting(events_.release_fd()); }

Result<Appeared> DirectoryWatch::read() {
  alignas(std::max_align_t) std::array<char, kBufferBytes> buffer;
  ssize_t count = ::read(fd(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Appeared{};
  if (count <= 0) return errno_error("cannot read what appeared in the watched directories");
  Appeared appeared;
  // Somebody may be filling the queue, so that what matters waits at its end: all of it is taken, and every path is
  // looked at.
  appeared.crowded = static_cast<std::size_t>(count) > kBufferBytes / 2;
  appeared.incomplete = appeared.crowded;
  // What comes meanwhile waits for the next time: whoever fills the queue must not keep us here.
  std::ptrdiff_t waiting = appeared.crowded ? events_.waiting() : 0;
  while (count > 0) {
    if (!appeared.crowded || !kept_.empty()) {
      for (const NameEvent& event : events_.parse({buffer.data(), static_cast<std::size_t>(count)})) {
        take(event, appeared);
      }
    }
    count = waiting > 0 ? ::read(fd(), buffer.data(), buffer.size()) : 0;
    waiting -= count;
  }
  return appeared;
}

}  // namespace agentctl
