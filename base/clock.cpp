// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <time.h>

namespace agentctl {
namespace {

std::uint64_t read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000U + static_cast<std::uint64_t>(now.tv_nsec) / 1'000U;
}

}  // namespace

std::uint64_t monotonic_usec() { return read_clock(CLOCK_MONOTONIC); }

std::uint64_t realtime_usec() { return read_clock(CLOCK_REALTIME); }

std::string format_local_time(std::uint64_t usec) {
  const auto seconds = static_cast<time_t>(usec / 1'000'000);
  struct tm local {};
  char text[64];
  if (::localtime_r(&seconds, &local) == nullptr) return "?";
  return std::string(text, ::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local));
}

}  // namespace agentctl
