// SPDX-License-Identifier: Apache-2.0
#include "base/directory_watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace agentctl {
namespace {

constexpr std::uint32_t kAppears = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
constexpr std::size_t kBufferBytes = 16'384;
constexpr int kMostReads = 1024;  // more than the longest queue (inotify(7): 16384 events of 272 bytes at most)

Error watch_error(const std::string& path) {
  Error error = errno_error(cat("cannot watch '", printable(path), "'"));
  if (error.sys_errno == ENOSPC) {
    error.kind = ErrorKind::environment;
    error.hint = "raise the sysctl fs.inotify.max_user_watches";
  }
  return error;
}

}  // namespace

std::vector<InotifyEvent> parse_inotify(std::string_view bytes) {
  std::vector<InotifyEvent> events;
  inotify_event head{};
  while (bytes.size() >= sizeof head) {
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    const std::string_view padded = bytes.substr(0, head.len);
    bytes.remove_prefix(padded.size());
    events.push_back({head.wd, (head.mask & IN_Q_OVERFLOW) != 0, std::string(padded.substr(0, padded.find('\0')))});
  }
  return events;
}

Result<DirectoryWatch> DirectoryWatch::create() {
  UniqueFd inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (inotify.valid()) return DirectoryWatch(std::move(inotify));
  Error error = errno_error("cannot watch directories");
  if (error.sys_errno == EMFILE) {
    error.kind = ErrorKind::environment;
    error.message = "cannot watch directories: the inotify instances of this user are used up";
    error.hint = "raise the sysctl fs.inotify.max_user_instances";
  }
  return error;
}

Result<void> DirectoryWatch::watch(const std::vector<WatchedDirectory>& directories) {
  std::map<int, std::vector<std::string>> paths;
  for (const WatchedDirectory& directory : directories) {
    // inotify takes no descriptor; this name leads to what is held, whatever became of the path.
    const std::string held = cat("/proc/self/fd/", directory.fd.get());
    const int watch = ::inotify_add_watch(inotify_.get(), held.c_str(), kAppears);
    if (watch < 0) return watch_error(directory.path);
    paths[watch].push_back(directory.path);
  }
  for (const auto& [watch, unused] : paths_) {
    if (!paths.contains(watch)) ::inotify_rm_watch(inotify_.get(), watch);
  }
  paths_ = std::move(paths);
  return {};
}

Result<Appeared> DirectoryWatch::read() {
  alignas(inotify_event) std::array<char, kBufferBytes> buffer;
  const ssize_t count = ::read(inotify_.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Appeared{};
  if (count <= 0) return errno_error("cannot read what appeared in the watched directories");
  Appeared appeared;
  appeared.crowded = static_cast<std::size_t>(count) > kBufferBytes / 2;
  if (appeared.crowded) {
    // Somebody may be filling the queue, so that what matters waits at its end: all of it goes, and all is looked at.
    appeared.incomplete = true;
    std::array<char, kBufferBytes> rest;
    for (int left = kMostReads; left > 0 && ::read(inotify_.get(), rest.data(), rest.size()) > 0;) --left;
    return appeared;
  }
  for (const InotifyEvent& event : parse_inotify({buffer.data(), static_cast<std::size_t>(count)})) {
    appeared.incomplete = appeared.incomplete || event.overflow;
    const auto watched = paths_.find(event.watch);
    if (watched == paths_.end() || event.name.empty()) continue;
    for (const std::string& directory : watched->second) {
      appeared.paths.push_back(cat(directory, directory == "/" ? "" : "/", event.name));
    }
  }
  return appeared;
}

}  // namespace agentctl
