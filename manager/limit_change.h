// SPDX-License-Identifier: Apache-2.0
// LimitChange: which limits of a running session are to change, and to what: bytes, microseconds and whole numbers,
// kInfinity (base/quantity.h) for none. Pure. Words and values are those of [limits]; `oom` is fixed at the start,
// since systemd does not change it on a running scope.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/limits.h"
#include "units/limits.h"

namespace agentctl::manager {

struct LimitChange {
  std::optional<std::uint64_t> memory_max, memory_high, swap_max;
  std::optional<std::uint64_t> cpu_quota_per_sec_usec, cpu_weight;
  std::optional<std::uint64_t> tasks_max, io_weight;
  std::optional<std::uint64_t> runtime_max_usec;
  friend bool operator==(const LimitChange&, const LimitChange&) = default;

  [[nodiscard]] bool concerns_scope() const;  // and not the time limit alone
};

// "memory-max=12G", as a user types them; every mistake in one Error of kind usage.
[[nodiscard]] Result<LimitChange> read_limit_change(const std::vector<std::string>& words,
                                                    const policy::MachineSize& machine);

[[nodiscard]] units::ScopeLimits with_change(units::ScopeLimits limits, const LimitChange& change);
// What puts `before` back after `change` was made of it: a limit that was not asked for is infinite then.
[[nodiscard]] units::ScopeLimits without_change(units::ScopeLimits before, const LimitChange& change);

// "memory-max=12884901888", one word each, for the control socket. At least one, none twice.
[[nodiscard]] std::vector<std::string> to_words(const LimitChange& change);
[[nodiscard]] std::optional<LimitChange> parse_words(const std::vector<std::string_view>& words);

}  // namespace agentctl::manager
