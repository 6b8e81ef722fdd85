// SPDX-License-Identifier: Apache-2.0
// Sizes, percentages and durations as systemd writes them: systemd.syntax(7), systemd.time(7),
// systemd.resource-control(5). Pure. kInfinity stands for "infinity", as it does on systemd's bus.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agentctl {

inline constexpr std::uint64_t kInfinity = UINT64_MAX;

// "8G", "512M", "1.5G", "1048576", "infinity": bytes, base 1024, suffixes K M G T P E (lower case too).
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);
// "8G", "60%": a percentage is of `whole`, rounded down.
[[nodiscard]] Result<std::uint64_t> parse_size_or_share(std::string_view text, std::uint64_t whole);
// "250%", "12.5%": hundredths of a percent (25000, 1250). The sign % is required.
[[nodiscard]] Result<std::uint64_t> parse_percent(std::string_view text);
// "90", "1min 30s", "500ms", "2h", "infinity": microseconds; a bare number is seconds.
[[nodiscard]] Result<std::uint64_t> parse_duration(std::string_view text);
// "4096", "infinity".
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text);

[[nodiscard]] std::string format_size(std::uint64_t bytes);     // "2.0G", "64.0M", "infinity"
[[nodiscard]] std::string format_duration(std::uint64_t usec);  // "1min 30s", "450ms", "infinity"
[[nodiscard]] inline std::string format_count(std::uint64_t count) {
  return count == kInfinity ? "infinity" : std::to_string(count);
}
[[nodiscard]] std::string format_cpu_quota(std::uint64_t usec_per_sec);  // 1500000 -> "150%", "infinity"

}  // namespace agentctl
