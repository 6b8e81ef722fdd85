// SPDX-License-Identifier: Apache-2.0
#include "base/directory_watch.h"

#include <sys/inotify.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/slow_close.h"
#include "base/text.h"

namespace agentctl {
namespace {

constexpr std::uint32_t kAppears = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
constexpr std::size_t kBufferBytes = 16'384;

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
    InotifyEvent event;
    event.watch = head.wd;
    event.overflow = (head.mask & IN_Q_OVERFLOW) != 0;
    event.removed = (head.mask & IN_IGNORED) != 0;
    event.directory = (head.mask & IN_ISDIR) != 0;
    event.name = padded.substr(0, padded.find('\0'));
    events.push_back(std::move(event));
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

Result<int> DirectoryWatch::add(const std::string& path, int fd) const {
  // inotify takes no descriptor; this name leads to what is held, whatever became of the path.
  const std::string held = cat("/proc/self/fd/", fd);
  const int watch = ::inotify_add_watch(inotify_.get(), held.c_str(), kAppears);
  if (watch < 0) return watch_error(path);
  return watch;
}

Result<void> DirectoryWatch::watch(const std::vector<WatchedDirectory>& directories) {
  std::map<int, std::vector<std::string>> paths;
  for (const WatchedDirectory& directory : directories) {
    paths[AGENTCTL_TRY(add(directory.path, directory.fd.get()))].push_back(directory.path);
  }
  for (const auto& [watch, unused] : paths_) {
    if (!paths.contains(watch) && !kept_.contains(watch)) ::inotify_rm_watch(inotify_.get(), watch);
  }
  paths_ = std::move(paths);
  return {};
}

Result<int> DirectoryWatch::keep(const std::string& path, int fd) {
  const int watch = AGENTCTL_TRY(add(path, fd));
  kept_.insert(watch);
  return watch;
}

void DirectoryWatch::forget(int watch) {
  if (kept_.erase(watch) != 0 && !paths_.contains(watch)) ::inotify_rm_watch(inotify_.get(), watch);
}

void DirectoryWatch::take(const InotifyEvent& event, Appeared& appeared) {
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
DirectoryWatch::~DirectoryWatch() { close_without_waiting(std::move(inotify_)); }

Result<Appeared> DirectoryWatch::read() {
  alignas(inotify_event) std::array<char, kBufferBytes> buffer;
  ssize_t count = ::read(inotify_.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Appeared{};
  if (count <= 0) return errno_error("cannot read what appeared in the watched directories");
  Appeared appeared;
  // Somebody may be filling the queue, so that what matters waits at its end: all of it is taken, and every path is
  // looked at.
  appeared.crowded = static_cast<std::size_t>(count) > kBufferBytes / 2;
  appeared.incomplete = appeared.crowded;
  // What comes meanwhile waits for the next time: whoever fills the queue must not keep us here.
  int waiting = 0;
  if (appeared.crowded && ::ioctl(inotify_.get(), FIONREAD, &waiting) != 0) waiting = 0;
  while (count > 0) {
    if (!appeared.crowded || !kept_.empty()) {
      for (const InotifyEvent& event : parse_inotify({buffer.data(), static_cast<std::size_t>(count)})) {
        take(event, appeared);
      }
    }
    count = waiting > 0 ? ::read(inotify_.get(), buffer.data(), buffer.size()) : 0;
    waiting -= static_cast<int>(count);
  }
  return appeared;
}

}  // namespace agentctl
