// SPDX-License-Identifier: Apache-2.0
#include "manager/service/session_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "manager/record_size.h"
#include "manager/state_dirs.h"
#include "units/unit_name.h"

namespace agentctl::manager::service {
namespace {

std::vector<std::string> ids_in(const std::string& runtime_dir) {
  std::vector<std::string> ids;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(runtime_dir.c_str()),
                                                   [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
  if (!stream) return ids;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (units::is_session_id(entry->d_name)) ids.emplace_back(entry->d_name);
  }
  return ids;
}

bool exists(const std::string& directory) { return ::access(directory.c_str(), F_OK) == 0; }

std::optional<KeptReceipt> read_receipt(const std::string& id) {
  const auto state = state_dir_path();
  auto text =
      state ? read_file(cat(*state, "/receipts/", id, ".json"), kMostRecordBytes) : Result<std::string>(state.error());
  if (!text) return std::nullopt;
  auto value = parse_json(*text);
  if (!value || (*value)["id"].text != id) return std::nullopt;
  return KeptReceipt{std::move(*text), std::move(*value)};
}

}  // namespace

SessionWatch::SessionWatch(EventLoop& loop, DirectoryWatch directories, std::function<void()> sweep)
    : loop_(loop), directories_(std::move(directories)), sweep_(std::move(sweep)) {}

SessionWatch::~SessionWatch() { loop_.forget(directories_.fd()); }

Result<std::unique_ptr<SessionWatch>> SessionWatch::start(EventLoop& loop, std::function<void()> sweep) {
  DirectoryWatch directories = AGENTCTL_TRY(DirectoryWatch::create());
  std::unique_ptr<SessionWatch> made(new SessionWatch(loop, std::move(directories), std::move(sweep)));
  AGENTCTL_TRY_VOID(made->watch_runtime_dirs());
  loop.watch(made->directories_.fd(), POLLIN, [self = made.get()](short) { self->on_events(); });
  return made;
}

// The first is made where it is missing: the next session is recorded there.
Result<void> SessionWatch::watch_runtime_dirs() {
  AGENTCTL_TRY(open_runtime_dir());
  for (const std::string& path : existing_runtime_dirs()) {
    const UniqueFd fd = AGENTCTL_TRY(open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    runtime_dirs_[AGENTCTL_TRY(directories_.keep(path, fd.get()))] = path;
  }
  return {};
}

void SessionWatch::look_at_all() {
  std::set<std::string> there;
  for (const auto& [watch, path] : runtime_dirs_) {
    for (const std::string& id : ids_in(path)) {
      there.insert(id);
      look_in(path, id);
    }
  }
  std::vector<std::string> gone;
  for (const auto& [id, followed] : sessions_) {
    if (!there.contains(id)) gone.push_back(id);
  }
  for (const std::string& id : gone) remove(id);
}

void SessionWatch::look_at(const std::string& id) {
  for (const auto& [watch, path] : runtime_dirs_) {
    if (exists(cat(path, "/", id))) return look_in(path, id);
  }
  remove(id);
}

void SessionWatch::on_events() {
  const auto appeared = directories_.read();
  if (!appeared) return log::warn(appeared.error().message);
  bool lost_runtime_dir = false;
  for (const int watch : appeared->gone) {
    if (runtime_dirs_.erase(watch) > 0) lost_runtime_dir = true;
    const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                    [watch](const auto& entry) { return entry.second.watch == watch; });
    if (found == sessions_.end()) continue;
    found->second.watch = -1;
    remove(std::string(found->first));
  }
  std::set<std::string> changed;
  for (const NewName& name : appeared->names) {
    if (const auto runtime_dir = runtime_dirs_.find(name.watch); runtime_dir != runtime_dirs_.end()) {
      if (units::is_session_id(name.name)) changed.insert(name.name);
      continue;
    }
    if (name.name != "record") continue;
    const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                    [&](const auto& entry) { return entry.second.watch == name.watch; });
    if (found != sessions_.end()) changed.insert(found->first);
  }
  for (const std::string& id : changed) look_at(id);
  // Somebody has removed it: the next session makes it anew.
  if (lost_runtime_dir) {
    if (const auto watched = watch_runtime_dirs(); !watched) log::warn(watched.error().message);
  }
  if (appeared->dropped || lost_runtime_dir) look_at_all();
}

void SessionWatch::look_in(const std::string& runtime_dir, const std::string& id) {
  const auto known = sessions_.find(id);
  int watch = -1;
  if (known == sessions_.end()) {
    // Watched before it is read: what comes after is told.
    const auto fd = open_at(AT_FDCWD, cat(runtime_dir, "/", id), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) return;
    const auto kept = directories_.keep(cat(runtime_dir, "/", id), fd->get());
    if (!kept) return log::warn(kept.error().message);
    watch = *kept;
  }
  auto session = read_session(runtime_dir, id);
  if (known != sessions_.end()) {
    if (session) change(known->second, std::move(*session));
  } else if (session) {
    add(std::move(*session), watch);
  } else {
    directories_.forget(watch);
    if (exists(cat(runtime_dir, "/", id))) ask_for_sweep();
  }
}

void SessionWatch::add(KnownSession session, int watch) {
  const std::string id = session.record.id;
  auto kernel = KernelWatch::start(loop_, session.record,
                                   {.supervisor_ended = [this, id] { on_supervisor_ended(id); },
                                    .frozen_or_thawed = [this, id] { tell_now(SessionEventKind::changed, id); },
                                    .oom_killed = [this, id] { tell_now(SessionEventKind::oom_kill, id); }});
  if (kernel == nullptr) {
    directories_.forget(watch);
    return ask_for_sweep();
  }
  Followed& followed = sessions_[id];
  followed.text = serialize(session.record);
  followed.session = std::move(session);
  followed.watch = watch;
  followed.kernel = std::move(kernel);
  tell_now(SessionEventKind::added, id);
}

void SessionWatch::change(Followed& followed, KnownSession session) {
  std::string text = serialize(session.record);
  if (text == followed.text) return;
  SessionEvent event{SessionEventKind::changed, std::move(followed.session.record), session.record, std::nullopt};
  followed.session = std::move(session);
  followed.text = std::move(text);
  followed.kernel->follow(event.now);
  tell(event);
}

void SessionWatch::remove(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  const Followed followed = std::move(found->second);
  sessions_.erase(found);
  if (followed.watch >= 0) directories_.forget(followed.watch);
  const Record& record = followed.session.record;
  tell({SessionEventKind::ended, record, record, read_receipt(id)});
}

// One that has ended by itself has removed its directory before.
void SessionWatch::on_supervisor_ended(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  if (!exists(found->second.session.directory)) return remove(id);
  found->second.is_lost = true;
  ask_for_sweep();
}

void SessionWatch::ask_for_sweep() {
  if (std::exchange(is_sweeping_, true)) {
    sweeps_again_ = true;
    return;
  }
  sweep_();
}

// Whatever the sweep could not remove is no session any more.
void SessionWatch::swept() {
  is_sweeping_ = false;
  std::vector<std::string> lost;
  for (const auto& [id, followed] : sessions_) {
    if (followed.is_lost && (!sweeps_again_ || !exists(followed.session.directory))) lost.push_back(id);
  }
  for (const std::string& id : lost) remove(id);
  if (std::exchange(sweeps_again_, false)) ask_for_sweep();
}

Listing SessionWatch::listing() const {
  Listing listing;
  for (const auto& [id, followed] : sessions_) listing.sessions.push_back(followed.session);
  std::sort(listing.sessions.begin(), listing.sessions.end(),
            [](const KnownSession& a, const KnownSession& b) { return a.record.started_usec < b.record.started_usec; });
  return listing;
}

const Record* SessionWatch::find(const std::string& id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second.session.record;
}

void SessionWatch::tell(const SessionEvent& event) const {
  for (const SessionListener& listener : listeners_) listener(event);
}

void SessionWatch::tell_now(SessionEventKind kind, const std::string& id) const {
  const Record* record = find(id);
  if (record != nullptr) tell({kind, *record, *record, std::nullopt});
}

}  // namespace agentctl::manager::service
