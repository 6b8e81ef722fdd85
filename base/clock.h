// SPDX-License-Identifier: Apache-2.0
// The two clocks that we go by (clock_gettime(2)), in microseconds.
#pragma once

#include <cstdint>

namespace agentctl {

[[nodiscard]] std::uint64_t monotonic_usec();  // for deadlines; time asleep does not count
[[nodiscard]] std::uint64_t realtime_usec();   // for people; it may be set

}  // namespace agentctl
