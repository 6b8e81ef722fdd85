// SPDX-License-Identifier: Apache-2.0
// The rules, beside equality:
//  - memory is charged in pages: the kernel rounds a limit down to a whole one;
//  - a quota is stored for a period of 100 ms in whole microseconds, so up to 10 us a second are lost, never gained;
//  - cgroup v1 has no swap limit that systemd would set. read_limits() reports what the kernel really allows there: 0
//  on
//    a machine without swap, else the room that memory.memsw leaves. Less than asked is then no weaker, and accepted;
//  - an infinite value asked for sets nothing, so only a lower value found is a difference, and on v1 no swap is not
//  one.
// v1 weights come already converted to systemd's scale.
#include "units/limits.h"

#include <algorithm>

#include <unistd.h>

#include <string_view>

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::units {
namespace {

constexpr std::uint64_t kQuotaGrain = 10;

constexpr const char* kAbsent = "absent";
constexpr std::string_view kDelegate =
    "as root: mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\\nDelegate=cpu io memory pids\\n' > "
    "/etc/systemd/system/user@.service.d/delegate.conf && systemctl daemon-reload; then log out and in again";
constexpr std::string_view kDropIn =
    "see 'systemctl --user cat' of the unit; drop-ins for all sessions are in "
    "~/.config/systemd/user/app-agentctl-.scope.d and /etc/systemd/user/app-agentctl-.scope.d";
constexpr std::string_view kUnified = "boot with cgroup v2 (kernel command line: systemd.unified_cgroup_hierarchy=1)";

struct Knob {
  std::string_view name;
  std::string_view controller;
  std::string_view file_v2;
  std::string_view file_v1;
  std::string (*format)(std::uint64_t);
};

std::string format_count(std::uint64_t count) { return count == kInfinity ? "infinity" : cat(count); }

constexpr Knob kMemoryMax{"memory-max", "memory", "memory.max", "memory.limit_in_bytes", format_size};
constexpr Knob kMemoryHigh{"memory-high", "memory", "memory.high", "memory.high", format_size};
constexpr Knob kSwapMax{"swap-max", "memory", "memory.swap.max", "memory.memsw.limit_in_bytes", format_size};
constexpr Knob kCpuQuota{"cpu-quota", "cpu", "cpu.max", "cpu.cfs_quota_us", format_cpu_quota};
constexpr Knob kCpuWeight{"cpu-weight", "cpu", "cpu.weight", "cpu.shares", format_count};
constexpr Knob kTasksMax{"tasks-max", "pids", "pids.max", "pids.max", format_count};
constexpr Knob kIoWeight{"io-weight", "io", "io.weight", "blkio.weight", format_count};

constexpr Knob kOom{"oom", "memory", "memory.oom.group", "memory.oom.group",
                    [](std::uint64_t group) { return std::string(group == 0 ? "process" : "session"); }};

std::uint64_t round_to_page(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes == kInfinity ? bytes : bytes / page * page;
}

class Comparison {
 public:
  explicit Comparison(int version) : version_(version) {}

  // `slack`: how much lower than asked is still what was asked.
  void check(const Knob& knob, std::uint64_t asked, std::optional<std::uint64_t> found, std::uint64_t slack = 0) {
    if (!found) {
      if (asked != kInfinity) add_absent(knob, asked);
    } else if (*found > asked || asked - *found > slack) {
      add_differing(knob, asked, *found);
    }
  }

  [[nodiscard]] std::vector<LimitDifference> take() { return std::move(differences_); }

 private:
  [[nodiscard]] LimitDifference describe(const Knob& knob, std::uint64_t asked) const {
    LimitDifference difference;
    difference.controller = knob.controller;
    difference.knob = knob.name;
    difference.file = version_ == 2 ? knob.file_v2 : knob.file_v1;
    difference.asked = knob.format(asked);
    return difference;
  }

  void add_absent(const Knob& knob, std::uint64_t asked) {
    LimitDifference difference = describe(knob, asked);
    difference.found = kAbsent;
    const bool v1_lacks_it = &knob == &kMemoryHigh || &knob == &kSwapMax || &knob == &kIoWeight || &knob == &kOom;
    if (version_ != 2 && v1_lacks_it) {
      difference.reason = "cgroup v1 cannot enforce it";
      difference.remedy = kUnified;
    } else if (version_ != 2) {
      difference.reason = cat("the cgroup v1 controller ", knob.controller, " is not used by this service manager");
      difference.remedy = kUnified;
    } else if (&knob == &kSwapMax) {
      difference.reason = "the memory controller is not delegated to the manager, or the kernel has no swap accounting";
      difference.remedy = kDelegate;
    } else {
      difference.reason = cat("the ", knob.controller, " controller is not delegated to the service manager");
      difference.remedy = kDelegate;
    }
    differences_.push_back(std::move(difference));
  }

  void add_differing(const Knob& knob, std::uint64_t asked, std::uint64_t found) {
    LimitDifference difference = describe(knob, asked);
    difference.found = knob.format(found);
    difference.is_stricter = found < asked;
    if (version_ != 2 && &knob == &kSwapMax) {
      difference.reason = "systemd does not limit swap on cgroup v1";
      difference.remedy = cat(kUnified, ", or switch swap off");
    } else {
      difference.reason = "a drop-in or another program overrides it";
      difference.remedy = kDropIn;
    }
    differences_.push_back(std::move(difference));
  }

  int version_;
  std::vector<LimitDifference> differences_;
};

}  // namespace

std::vector<LimitDifference> compare_limits(const ScopeLimits& asked, const EffectiveLimits& found,
                                            int cgroup_version) {
  Comparison comparison(cgroup_version);
  comparison.check(kMemoryMax, round_to_page(asked.memory_max), found.memory_max);
  if (asked.memory_high) comparison.check(kMemoryHigh, round_to_page(*asked.memory_high), found.memory_high);
  comparison.check(kSwapMax, round_to_page(asked.memory_swap_max), found.memory_swap_max,
                   cgroup_version == 2 ? 0 : kInfinity);
  comparison.check(kTasksMax, asked.tasks_max, found.tasks_max);
  comparison.check(kCpuQuota, asked.cpu_quota_per_sec_usec, found.cpu_quota_per_sec_usec,
                   asked.cpu_quota_per_sec_usec == kInfinity ? 0 : kQuotaGrain - 1);
  comparison.check(kCpuWeight, asked.cpu_weight, found.cpu_weight);
  if (asked.io_weight) comparison.check(kIoWeight, *asked.io_weight, found.io_weight);
  if (asked.oom_kills_all) comparison.check(kOom, 1, found.oom_group);
  return comparison.take();
}

std::vector<LimitDifference> compare_slice_limits(const SliceLimits& asked, const EffectiveLimits& found,
                                                  int cgroup_version) {
  Comparison comparison(cgroup_version);
  if (asked.memory_max) comparison.check(kMemoryMax, round_to_page(*asked.memory_max), found.memory_max);
  if (asked.memory_high) comparison.check(kMemoryHigh, round_to_page(*asked.memory_high), found.memory_high);
  if (asked.memory_swap_max) {
    comparison.check(kSwapMax, round_to_page(*asked.memory_swap_max), found.memory_swap_max,
                     cgroup_version == 2 ? 0 : kInfinity);
  }
  if (asked.cpu_quota_per_sec_usec) {
    const bool is_infinite = *asked.cpu_quota_per_sec_usec == kInfinity;
    comparison.check(kCpuQuota, *asked.cpu_quota_per_sec_usec, found.cpu_quota_per_sec_usec,
                     is_infinite ? 0 : kQuotaGrain - 1);
  }
  if (asked.tasks_max) comparison.check(kTasksMax, *asked.tasks_max, found.tasks_max);
  return comparison.take();
}

void blame_kernel(std::vector<LimitDifference>& differences, const std::vector<std::string>& controllers) {
  for (LimitDifference& difference : differences) {
    const bool is_there = std::find(controllers.begin(), controllers.end(), difference.controller) != controllers.end();
    if (!is_there || difference.found != kAbsent) continue;
    difference.reason = cat("this kernel's ", difference.controller, " controller cannot keep it");
    difference.remedy.clear();
  }
}

}  // namespace agentctl::units
