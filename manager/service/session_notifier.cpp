// SPDX-License-Identifier: Apache-2.0
#include "manager/service/session_notifier.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "manager/exit_status.h"
#include "units/cgroup.h"

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kStopUsec = 120'000'000;  // the grace and the proof of the end, on a machine short of memory

std::optional<std::uint64_t> memory_peak(const Record& record) {
  const auto cgroup = units::Cgroup::open(record.cgroup_path);
  if (!cgroup || cgroup->id() != record.cgroup_id) return std::nullopt;
  return cgroup->read_usage().memory_peak;
}

}  // namespace

SessionNotifier::SessionNotifier(EventLoop& loop, Verbs& verbs)
    : loop_(loop), verbs_(verbs), desktop_([this](const std::string& session_id) { stop(session_id); }) {}

SessionNotifier::~SessionNotifier() {
  if (timer_) loop_.cancel(*timer_);
}

void SessionNotifier::on_event(const SessionEvent& event) {
  watch_memory(event);
  const std::string& id = event.now.id;
  if (event.kind == SessionEventKind::ended) limiter_.session_ended(id, monotonic_usec());
  const bool is_kill = event.kind == SessionEventKind::oom_kill;
  std::optional<Notification> notification = notification_of(event, is_kill ? memory_peak(event.now) : std::nullopt);
  if (notification) {
    add(std::move(*notification));
  } else if (event.kind == SessionEventKind::ended) {
    desktop_.close(id);  // its button would stop nothing
  }
}

// Its cgroup is known once it runs.
void SessionNotifier::watch_memory(const SessionEvent& event) {
  const Record& record = event.now;
  if (event.kind == SessionEventKind::ended) {
    memory_.erase(record.id);
  } else if (!record.cgroup_path.empty() && !memory_.contains(record.id)) {
    memory_[record.id] =
        MemoryWatch::start(loop_, record, [this, record](const MemoryUse& use) { add(near_limit(record, use)); });
  }
}

void SessionNotifier::on_not_started(const std::string& project, const std::string& why) {
  add(not_started(project, why));
}

void SessionNotifier::add(Notification notification) {
  limiter_.add(std::move(notification), monotonic_usec());
  arm();
}

void SessionNotifier::arm() {
  if (timer_) loop_.cancel(*timer_);
  timer_.reset();
  const auto due = limiter_.next_due();
  if (!due) return;
  const std::uint64_t now = monotonic_usec();
  timer_ = loop_.after(*due > now ? *due - now : 0, [this] {
    timer_.reset();
    show_due();
  });
}

void SessionNotifier::show_due() {
  for (const Notification& notification : limiter_.take_due(monotonic_usec())) desktop_.show(notification);
  arm();
}

void SessionNotifier::stop(const std::string& session_id) {
  verbs_.run({"stop", session_id}, kStopUsec, [session_id](const VerbOutcome& outcome) {
    if (outcome.status == kExitSuccess) return;
    log::warn(cat("cannot stop session ", session_id, ": ", last_message(outcome.errors)));
  });
}

}  // namespace agentctl::manager::service
