// SPDX-License-Identifier: Apache-2.0
#include "base/name_events.h"

#include <fcntl.h>
#include <linux/fanotify.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace agentctl {
namespace {

constexpr std::uint32_t kInotifyMask = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
constexpr std::uint64_t kFanotifyMask = FAN_CREATE | FAN_MOVED_TO | FAN_DELETE_SELF | FAN_ONDIR;
constexpr const char* kInotifyLimit = "raise the sysctl fs.inotify.max_user_instances";

// inotify and fanotify take no descriptor of O_PATH; this name leads to what is held, whatever became of the path.
std::string name_of(int held) { return cat("/proc/self/fd/", held); }

Error add_error(const std::string& path, int number) {
  Error error = errno_error(number, cat("cannot watch '", printable(path), "'"));
  if (number == ENOSPC) {
    error.kind = ErrorKind::environment;
    error.hint = "raise the sysctl fs.inotify.max_user_watches";
  }
  return error;
}

// inotify may do what fanotify cannot, on this file system or kernel.
Error mark_error(const std::string& path, int number) {
  if (number == ENOSPC) return add_error(path, number).with_hint("raise the sysctl fs.fanotify.max_user_marks");
  Error error = add_error(path, number);
  if (number == EOPNOTSUPP || number == EXDEV || number == ENODEV || number == EINVAL) {
    error.kind = ErrorKind::environment;
    error.message = "cannot watch directories: the inotify instances of this user are used up";
    error.hint = kInotifyLimit;
  }
  return error;
}

std::string handle_key(const void* file_system, const void* handle, std::size_t bytes) {
  std::string key(static_cast<const char*>(file_system), sizeof(__kernel_fsid_t));
  return key.append(static_cast<const char*>(handle), bytes);
}

template <typename Head>
bool read_head(std::string_view bytes, Head& head) {
  if (bytes.size() < sizeof head) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  return true;
}

// The first record that names a directory and an entry in it.
void read_directory_record(std::string_view records, HandleEvent& event) {
  fanotify_event_info_fid head{};
  file_handle handle{};
  while (read_head(records, head) && head.hdr.len >= sizeof head && head.hdr.len <= records.size()) {
    const std::string_view record = records.substr(sizeof head, head.hdr.len - sizeof head);
    records.remove_prefix(head.hdr.len);
    if (head.hdr.info_type != FAN_EVENT_INFO_TYPE_DFID_NAME || !read_head(record, handle)) continue;
    const std::size_t whole = sizeof handle + handle.handle_bytes;
    if (handle.handle_bytes > MAX_HANDLE_SZ || whole > record.size()) continue;
    event.handle = handle_key(&head.fsid, record.data(), whole);
    const std::string_view name = record.substr(whole);
    event.event.name = name.substr(0, name.find('\0'));
    return;
  }
}

}  // namespace

std::vector<NameEvent> parse_inotify(std::string_view bytes) {
  std::vector<NameEvent> events;
  inotify_event head{};
  while (read_head(bytes, head)) {
    bytes.remove_prefix(sizeof head);
    const std::string_view padded = bytes.substr(0, head.len);
    bytes.remove_prefix(padded.size());
    NameEvent event;
    event.watch = head.wd;
    event.overflow = (head.mask & IN_Q_OVERFLOW) != 0;
    event.removed = (head.mask & IN_IGNORED) != 0;
    event.directory = (head.mask & IN_ISDIR) != 0;
    event.name = padded.substr(0, padded.find('\0'));
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<HandleEvent> parse_fanotify(std::string_view bytes) {
  std::vector<HandleEvent> events;
  fanotify_event_metadata head{};
  while (read_head(bytes, head) && head.vers == FANOTIFY_METADATA_VERSION && head.metadata_len >= sizeof head &&
         head.event_len >= head.metadata_len && head.event_len <= bytes.size()) {
    HandleEvent event;
    event.event.overflow = (head.mask & FAN_Q_OVERFLOW) != 0;
    event.event.directory = (head.mask & FAN_ONDIR) != 0;
    read_directory_record(bytes.substr(head.metadata_len, head.event_len - head.metadata_len), event);
    // Of the directory itself; events of one directory may come as one.
    event.event.removed = (head.mask & FAN_DELETE_SELF) != 0;
    if (event.event.name == ".") event.event.name.clear();
    events.push_back(std::move(event));
    bytes.remove_prefix(head.event_len);
  }
  return events;
}

Result<NameEvents> NameEvents::open(Source source) {
  if (source == Source::inotify) {
    UniqueFd fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!fd.valid()) return errno_error("cannot watch directories");
    return NameEvents(source, std::move(fd));
  }
  UniqueFd fd(::fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_REPORT_DFID_NAME, 0));
  if (!fd.valid()) return errno_error("cannot watch directories");
  return NameEvents(source, std::move(fd));
}

Result<NameEvents> NameEvents::open() {
  auto events = open(Source::inotify);
  if (events || events.error().sys_errno != EMFILE) return events;
  if (auto others = open(Source::fanotify)) return others;
  events.error().kind = ErrorKind::environment;
  events.error().message = "cannot watch directories: the inotify instances of this user are used up";
  events.error().hint = kInotifyLimit;
  return events;
}

Result<int> NameEvents::add(const std::string& path, int held) {
  if (source_ == Source::fanotify) return add_mark(path, held);
  const int watch = ::inotify_add_watch(fd_.get(), name_of(held).c_str(), kInotifyMask);
  if (watch < 0) return add_error(path, errno);
  return watch;
}

Result<int> NameEvents::add_mark(const std::string& path, int held) {
  constexpr unsigned kAdd = FAN_MARK_ADD | FAN_MARK_ONLYDIR;
  if (::fanotify_mark(fd_.get(), kAdd, kFanotifyMask, AT_FDCWD, name_of(held).c_str()) != 0)
    return mark_error(path, errno);
  alignas(file_handle) char room[sizeof(file_handle) + MAX_HANDLE_SZ] = {};
  auto* const handle = reinterpret_cast<file_handle*>(room);
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  struct statfs status {};
  if (::name_to_handle_at(held, "", handle, &mount, AT_EMPTY_PATH) != 0 || ::fstatfs(held, &status) != 0) {
    return mark_error(path, errno);
  }
  static_assert(sizeof status.f_fsid == sizeof(__kernel_fsid_t));
  const std::string key = handle_key(&status.f_fsid, handle, sizeof(file_handle) + handle->handle_bytes);
  const auto [entry, is_new] = watches_.try_emplace(key, next_watch_);
  if (is_new) ++next_watch_;
  return entry->second;
}

// What fanotify goes on to tell of a directory that is no longer watched is of no known watch.
void NameEvents::remove(int watch) {
  if (source_ == Source::inotify) {
    ::inotify_rm_watch(fd_.get(), watch);
    return;
  }
  std::erase_if(watches_, [watch](const auto& entry) { return entry.second == watch; });
}

std::ptrdiff_t NameEvents::waiting() const {
  int bytes = 0;
  if (::ioctl(fd_.get(), FIONREAD, &bytes) != 0) return 0;
  if (source_ == Source::inotify) return bytes;
  // It counts the heads of events alone (fs/notify/fanotify/fanotify_user.c).
  constexpr std::ptrdiff_t kMostOfEvent = FAN_EVENT_METADATA_LEN + 512;
  return bytes / static_cast<std::ptrdiff_t>(FAN_EVENT_METADATA_LEN) * kMostOfEvent;
}

std::vector<NameEvent> NameEvents::parse(std::string_view bytes) {
  if (source_ == Source::inotify) return parse_inotify(bytes);
  std::vector<NameEvent> events;
  for (HandleEvent& found : parse_fanotify(bytes)) {
    const auto watch = watches_.find(found.handle);
    if (watch != watches_.end()) found.event.watch = watch->second;
    if (found.event.removed && watch != watches_.end()) watches_.erase(watch);
    events.push_back(std::move(found.event));
  }
  return events;
}

}  // namespace agentctl
