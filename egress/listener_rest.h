// SPDX-License-Identifier: Apache-2.0
// For who accepts connections and has no descriptor left for another: the kernel tells of those that wait until
// somebody takes them, so that the loop would do nothing else (accept(2), EMFILE).
#pragma once

#include <poll.h>

#include <cerrno>
#include <cstdint>

#include "base/event_loop.h"

namespace agentctl::egress {

inline constexpr std::uint64_t kListenerRestUsec = 500'000;

[[nodiscard]] inline bool is_out_of_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

// For half a second. For a listener that is watched as long as its loop runs.
inline void rest_listener(EventLoop& loop, int listener) {
  loop.set_events(listener, 0);
  loop.after(kListenerRestUsec, [&loop, listener] { loop.set_events(listener, POLLIN); });
}

}  // namespace agentctl::egress
