// SPDX-License-Identifier: Apache-2.0
// The two clocks that we go by (clock_gettime(2)), in microseconds.
#pragma once

#include <cstdint>
#include <string>

namespace agentctl {

[[nodiscard]] std::uint64_t monotonic_usec();  // for deadlines; time asleep does not count
[[nodiscard]] std::uint64_t realtime_usec();   // for people; it may be set

// A moment of realtime_usec() in the user's time zone (TZ): "2026-11-29 21:40:03 +0100".
[[nodiscard]] std::string format_local_time(std::uint64_t usec);

}  // namespace agentctl
