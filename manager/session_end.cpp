// SPDX-License-Identifier: Apache-2.0
#include "manager/session_end.h"

#include <poll.h>

#include "base/event_loop.h"
#include "base/text.h"
#include "units/unit_name.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kDeadlineUsec = 2'000'000;
constexpr int kRoundMsec = 50;

}  // namespace

Result<void> kill_and_prove_empty(const units::Cgroup& cgroup) {
  if (!units::is_session_scope(cgroup.path())) {
    return make_error(ErrorKind::internal, cat("the cgroup '", printable(cgroup.path()), "' is no session's scope"));
  }
  const std::uint64_t deadline = monotonic_usec() + kDeadlineUsec;
  const auto events = cgroup.open_events();
  while (cgroup.populated()) {
    AGENTCTL_TRY_VOID(cgroup.kill());
    if (monotonic_usec() > deadline) break;
    pollfd changed{events ? events->get() : -1, POLLPRI, 0};
    ::poll(&changed, 1, kRoundMsec);  // without an events file this is a plain wait between rounds
    if (events) {
      // Reading it re-arms the notification.
      char text[256];
      (void)!::pread(events->get(), text, sizeof text, 0);
    }
  }
  if (!cgroup.populated()) return {};
  std::string survivors;
  for (const pid_t pid : cgroup.pids()) survivors += cat(" ", pid);
  return make_error(ErrorKind::system, cat("cannot empty the cgroup '", cgroup.path(), "': still there:", survivors));
}

}  // namespace agentctl::manager
