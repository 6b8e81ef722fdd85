// SPDX-License-Identifier: Apache-2.0
#include "manager/registry.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>

#include "base/event_loop.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/control_socket.h"
#include "manager/lost_session.h"
#include "manager/record_size.h"
#include "manager/session_dir.h"
#include "manager/session_end.h"
#include "manager/session_name.h"
#include "manager/state_dirs.h"
#include "units/cgroup.h"
#include "units/manager_connection.h"
#include "units/unit_name.h"

namespace agentctl::manager {
namespace {

Result<std::vector<std::string>> entries_of(int dir) {
  std::vector<std::string> names;
  UniqueFd copy = AGENTCTL_TRY(open_at(dir, ".", O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(copy.get()),
                                                   [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
  if (!stream) return errno_error("fdopendir");
  (void)copy.release();
  while (const dirent* entry = ::readdir(stream.get())) names.emplace_back(entry->d_name);
  return names;
}

struct Place {
  const std::string& path;  // of the runtime directory
  int dir;
  const std::string& name;  // of the session's in it
};

// ".1a2b3c4d.4711": a directory that process 4711 was about to finish.
void sweep_unfinished(int dir, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  pid_t pid = 0;
  std::from_chars(name.data() + dot + 1, name.data() + name.size(), pid);
  if (pid > 0 && !read_process_stat(pid)) remove_session_dir(dir, name);
}

void sweep(int dir, const Record& record) {
  const auto this_boot = boot_id();
  // Whatever the record says, nothing but a scope that bears this session's name is ever killed.
  const bool is_its_scope = record.cgroup_path.ends_with(cat("/", units::scope_name(record.id)));
  units::CgroupUsage usage;
  if (this_boot && *this_boot == record.boot_id && is_its_scope) {
    const auto cgroup = units::Cgroup::open(record.cgroup_path);
    // Another cgroup may bear the name by now; its id tells.
    if (cgroup && cgroup->id() == record.cgroup_id) {
      usage = cgroup->read_usage();
      (void)kill_and_prove_empty(*cgroup);
    }
  }
  units::remove_private_subtree(record.id);
  if (const auto state = state_dir_path()) {
    ::unlink(cat(*state, "/receipts/", unfinished_name(record.id + ".json", record.supervisor.pid)).c_str());
  }
  keep_lost_receipt(record, usage);
  remove_session_dir(dir, record.id);
}

bool is_absent(const Error& error) { return error.sys_errno == ENOENT || error.sys_errno == ENOTDIR; }

Error cannot_read(const std::string& path, const Error& why) {
  return why.sys_errno == 0 ? why : errno_error(why.sys_errno, cat("cannot read '", path, "'"));
}

// Calls `visit` for each session directory that holds a text; what is no session is removed on the way. Gives what
// could not be looked at.
template <typename Visit>
std::vector<Error> for_each_record(Visit visit) {
  std::vector<Error> unread;
  for (const std::string& path : existing_runtime_dirs()) {
    const auto dir = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const auto names = dir ? entries_of(dir->get()) : Result<std::vector<std::string>>(dir.error());
    if (!names) {
      if (!is_absent(names.error())) unread.push_back(cannot_read(path, names.error()));
      continue;
    }
    for (const std::string& name : *names) {
      if (name.size() > 10 && name[0] == '.') sweep_unfinished(dir->get(), name);
      if (!units::is_session_id(name)) continue;
      const auto text = read_file_at(dir->get(), name + "/record", kMostRecordBytes);
      // A directory has its name only once it holds a record: without one its owner was about to remove it, and may be
      // dead. What cannot be read just now (descriptors are used up, say) may be the record of a session that lives.
      const bool is_there = text || !is_absent(text.error());
      if (!text && is_there) unread.push_back(cannot_read(cat(path, "/", name, "/record"), text.error()));
      const bool is_ours = text ? visit(Place{path, dir->get(), name}, *text) : is_there;
      if (is_ours) continue;
      const std::string place = cat(path, "/", name);
      if (is_listened_to(place)) {
        unread.push_back(
            make_error(ErrorKind::system, cat("the record in '", place, "' is damaged, and its session lives")));
      } else {
        remove_session_dir(dir->get(), name);
      }
    }
  }
  return unread;
}

// Proves the record, and sweeps what it tells of if that is gone. False: it is none.
bool take_record(const Place& place, const std::string& text, const std::string& this_boot, Listing& listing) {
  auto record = parse_record(text);
  if (!record || record->id != place.name || !is_session_name(record->name)) return false;
  if (record->boot_id == this_boot && is_alive(record->supervisor)) {
    listing.sessions.push_back({cat(place.path, "/", place.name), std::move(*record)});
  } else if (is_listened_to(cat(place.path, "/", place.name))) {
    listing.unread.push_back(
        make_error(ErrorKind::system,
                   cat("'", record->name, "' lives in another pid namespace, and cannot be looked after from here"),
                   "ask where it was started"));
  } else {
    sweep(place.dir, *record);
    listing.swept.push_back(record->name);
  }
  return true;
}

std::string this_boot_id() {
  auto id = boot_id();
  return id ? std::move(*id) : std::string("?");  // no record's
}

}  // namespace

Listing list_sessions() {
  Listing listing;
  const std::string this_boot = this_boot_id();
  const std::vector<Error> unread = for_each_record(
      [&](const Place& place, const std::string& text) { return take_record(place, text, this_boot, listing); });
  listing.unread.insert(listing.unread.end(), unread.begin(), unread.end());
  std::sort(listing.sessions.begin(), listing.sessions.end(),
            [](const KnownSession& a, const KnownSession& b) { return a.record.started_usec < b.record.started_usec; });
  return listing;
}

std::optional<KnownSession> read_session(const std::string& runtime_dir, const std::string& id) {
  const std::string directory = cat(runtime_dir, "/", id);
  const auto text = read_file(directory + "/record", kMostRecordBytes);
  auto record = text ? parse_record(*text) : Result<Record>(text.error());
  if (!record || record->id != id || !is_session_name(record->name) || record->boot_id != this_boot_id())
    return std::nullopt;
  return KnownSession{directory, std::move(*record)};
}

Neighbours list_neighbours(const std::string& project) {
  Neighbours neighbours;
  const std::string this_boot = this_boot_id();
  const std::vector<Error> unread = for_each_record([&](const Place& place, const std::string& text) {
    const auto head = parse_record_head(text);
    const bool may_live = head && head->id == place.name && head->boot_id == this_boot &&
                          (::kill(head->supervisor, 0) == 0 || errno != ESRCH);
    if (may_live && head->project != project) {
      neighbours.names.push_back(head->name);
      return true;
    }
    return take_record(place, text, this_boot, neighbours.in_project);
  });
  std::vector<Error>& all = neighbours.in_project.unread;
  all.insert(all.end(), unread.begin(), unread.end());
  for (const KnownSession& session : neighbours.in_project.sessions) neighbours.names.push_back(session.record.name);
  return neighbours;
}

std::vector<std::string> session_names(const Listing& listing) {
  std::vector<std::string> names;
  for (const KnownSession& session : listing.sessions) names.push_back(session.record.name);
  return names;
}

Error explain_unread(const Listing& listing) {
  const Error& first = listing.unread.front();
  return make_error(first.kind, cat("not every session can be told of: ", first.message), first.hint);
}

Result<KnownSession> find_session(const Listing& listing, const std::string& name) {
  std::vector<std::string> candidates;
  const KnownSession* found = nullptr;
  for (const KnownSession& session : listing.sessions) {
    if (session.record.name == name || session.record.id == name) return session;
    if (!name.empty() && session.record.name.starts_with(name)) {
      found = &session;
      candidates.push_back(session.record.name);
    }
  }
  if (candidates.size() == 1) return *found;
  if (candidates.empty() && !listing.unread.empty()) return explain_unread(listing);
  if (candidates.empty()) {
    const std::vector<std::string> all = session_names(listing);
    return make_error(ErrorKind::system, cat("session '", printable(name), "' not found"),
                      all.empty() ? "no session is running" : cat("running: ", join(all, ", ")));
  }
  return make_error(ErrorKind::usage, cat("'", printable(name), "' is ambiguous"),
                    cat("candidates: ", join(candidates, ", ")));
}

}  // namespace agentctl::manager
