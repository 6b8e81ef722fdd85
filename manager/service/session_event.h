// SPDX-License-Identifier: Apache-2.0
// SessionEvent: what has happened to one session of this user, as the login-session service sees it and tells whoever
// listens within it. Told in the service's own loop: a listener must not block.
#pragma once

#include <functional>
#include <optional>

#include "manager/kept_receipts.h"
#include "manager/record.h"

namespace agentctl::manager::service {

enum class SessionEventKind {
  added,     // it is there: from now on, perhaps still starting, or since before the service was
  changed,   // its record says something else than before, or the kernel has frozen or thawed it
  oom_kill,  // the memory limit has killed a process of it
  ended,     // its record is gone
};

struct SessionEvent {
  SessionEventKind kind = SessionEventKind::added;
  Record before;                       // added: as `now`
  Record now;                          // ended: as it was last
  std::optional<KeptReceipt> receipt;  // ended: what was kept of it, where something was
};

using SessionListener = std::function<void(const SessionEvent&)>;

}  // namespace agentctl::manager::service
