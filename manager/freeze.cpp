// SPDX-License-Identifier: Apache-2.0
#include "manager/freeze.h"

#include <poll.h>

#include <cstdint>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kLongestUsec = 1'000'000;

}  // namespace

Freeze::Freeze(const units::Cgroup* cgroup) {
  if (cgroup == nullptr) return;
  if (cgroup->freezes()) {
    frozen_ = cgroup;  // somebody else's freeze is not ours to end
    return;
  }
  const auto frozen = cgroup->freeze();
  if (!frozen) log::debug(frozen.error().message);
  if (frozen && *frozen) cgroup_ = frozen_ = cgroup;
}

Freeze::~Freeze() {
  if (cgroup_ == nullptr) return;
  if (const auto thawed = cgroup_->thaw(); !thawed) log::warn(thawed.error().message);
}

Result<void> Freeze::wait() const {
  if (frozen_ == nullptr) return {};
  const UniqueFd events = AGENTCTL_TRY(frozen_->open_events());
  const std::uint64_t deadline = monotonic_usec() + kLongestUsec;
  // The file says that it has changed until it is read, so it is looked at first.
  while (!frozen_->frozen()) {
    const std::uint64_t now = monotonic_usec();
    if (now >= deadline) return make_error(ErrorKind::environment, "the session does not stand still");
    pollfd changed{events.get(), POLLPRI, 0};
    ::poll(&changed, 1, static_cast<int>((deadline - now) / 1000) + 1);
    char text[256];
    (void)!::pread(events.get(), text, sizeof text, 0);
  }
  return {};
}

}  // namespace agentctl::manager
