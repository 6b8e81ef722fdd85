// SPDX-License-Identifier: Apache-2.0
#include "manager/session_pause.h"

#include <poll.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kFreezeUsec = 2'000'000;

// cgroup.events reports the next change only once it has been read.
void rearm(const UniqueFd& events) {
  char text[256];
  (void)!::pread(events.get(), text, sizeof text, 0);
}

}  // namespace

SessionPause::SessionPause(EventLoop& loop, const units::Cgroup& cgroup, std::function<void(bool)> changed)
    : loop_(loop), cgroup_(cgroup), changed_(std::move(changed)) {}

SessionPause::~SessionPause() { give_up(); }

void SessionPause::pause(Answer answer) {
  if (events_.valid()) return waiting_.push_back(std::move(answer));
  const auto asked = cgroup_.freeze();
  if (!asked) return answer(asked.error());
  if (!*asked) {
    return answer(make_error(ErrorKind::environment, "cannot be paused: this host has no unified cgroup tree",
                             "boot with cgroup v2 (kernel command line: systemd.unified_cgroup_hierarchy=1)"));
  }
  waiting_.push_back(std::move(answer));
  auto events = cgroup_.open_events();
  if (!events) return finish(events.error());
  events_ = std::move(*events);
  loop_.watch(events_.get(), POLLPRI, [this](short) { look(); });
  deadline_ = loop_.after(kFreezeUsec, [this] {
    deadline_.reset();
    finish(make_error(ErrorKind::system, "cannot be paused: one of its processes does not stop within 2 s",
                      "it waits for a device or a network file system: see 'ps -eo pid,stat,wchan,args'"));
  });
  look();
}

void SessionPause::look() {
  rearm(events_);
  if (cgroup_.frozen()) finish({});
}

// The kernel has said it, or it cannot be had.
void SessionPause::finish(const Result<void>& frozen) {
  const std::vector<Answer> askers = stop_waiting();
  if (!frozen) (void)cgroup_.thaw();
  set_paused(frozen.has_value());
  for (const Answer& answer : askers) answer(frozen);
}

std::vector<SessionPause::Answer> SessionPause::stop_waiting() {
  if (deadline_) loop_.cancel(*std::exchange(deadline_, std::nullopt));
  if (events_.valid()) loop_.forget(events_.get());
  events_.reset();
  return std::exchange(waiting_, {});
}

void SessionPause::set_paused(bool is_paused) {
  if (std::exchange(is_paused_, is_paused) != is_paused) changed_(is_paused);
}

void SessionPause::resume(const Answer& answer) {
  if (events_.valid()) finish(make_error(ErrorKind::system, "was resumed meanwhile"));
  if (const auto thawed = cgroup_.thaw(); !thawed) return answer(thawed.error());
  set_paused(false);
  if (!cgroup_.frozen()) return answer({});
  answer(make_error(ErrorKind::system, "still stands still: a cgroup above its own is frozen",
                    "thaw it: systemctl --user thaw app-agentctl.slice"));
}

// What is frozen stays so here: it may have to be killed before it runs again.
void SessionPause::give_up() {
  is_paused_ = false;
  for (const Answer& answer : stop_waiting()) answer(make_error(ErrorKind::system, "is ending"));
}

}  // namespace agentctl::manager
