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
#include "manager/lost_session.h"
#include "manager/session_dir.h"
#include "manager/session_end.h"
#include "manager/session_name.h"
#include "manager/state_dirs.h"
#include "units/cgroup.h"
#include "units/manager_connection.h"
#include "units/unit_name.h"

namespace agentctl::manager {
namespace {

std::vector<std::string> entries_of(int dir) {
  std::vector<std::string> names;
  const int copy = ::openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy),
                                                   [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
  if (!stream) return names;
  while (const dirent* entry = ::readdir(stream.get())) names.emplace_back(entry->d_name);
  return names;
}

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

}  // namespace

Listing list_sessions() {
  Listing listing;
  const auto this_boot = boot_id();
  for (const std::string& path : existing_runtime_dirs()) {
    const auto dir = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!dir) continue;
    for (const std::string& name : entries_of(dir->get())) {
      if (name.size() > 10 && name[0] == '.') sweep_unfinished(dir->get(), name);
      if (!units::is_session_id(name)) continue;
      const auto text = read_file_at(dir->get(), name + "/record");
      if (!text) {
        // A directory has its name only once it holds a record: its owner was about to remove it, and may be dead. Nor
        // is a record that cannot be read one of ours.
        remove_session_dir(dir->get(), name);
        continue;
      }
      const auto record = parse_record(*text);
      if (!record || record->id != name || !is_session_name(record->name)) {
        remove_session_dir(dir->get(), name);
        continue;
      }
      if (this_boot && record->boot_id == *this_boot && is_alive(record->supervisor)) {
        listing.sessions.push_back({cat(path, "/", name), *record});
      } else {
        sweep(dir->get(), *record);
        listing.swept.push_back(record->name);
      }
    }
  }
  std::sort(listing.sessions.begin(), listing.sessions.end(),
            [](const KnownSession& a, const KnownSession& b) { return a.record.started_usec < b.record.started_usec; });
  return listing;
}

std::vector<std::string> session_names(const Listing& listing) {
  std::vector<std::string> names;
  for (const KnownSession& session : listing.sessions) names.push_back(session.record.name);
  return names;
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
  if (candidates.empty()) {
    const std::vector<std::string> all = session_names(listing);
    return make_error(ErrorKind::system, cat("session '", printable(name), "' not found"),
                      all.empty() ? "no session is running" : cat("running: ", join(all, ", ")));
  }
  return make_error(ErrorKind::usage, cat("'", printable(name), "' is ambiguous"),
                    cat("candidates: ", join(candidates, ", ")));
}

}  // namespace agentctl::manager
