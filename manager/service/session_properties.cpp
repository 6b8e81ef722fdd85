// SPDX-License-Identifier: Apache-2.0
#include "manager/service/session_properties.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace agentctl::manager::service {
namespace {

using OptionalNumber = std::optional<std::uint64_t>;

std::vector<std::string> bus_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(bus_text(text));
  return out;
}

// A number that there is none of has no entry.
void add(Dictionary& dictionary, const char* key, const OptionalNumber& number) {
  if (number) dictionary.emplace_back(key, *number);
}

// Of those asked for and those of the kernel's files, which have the same names.
template <typename Limits>
void add_limits(Dictionary& dictionary, const Limits& limits) {
  add(dictionary, "memory-max", limits.memory_max);
  add(dictionary, "memory-high", limits.memory_high);
  add(dictionary, "swap-max", limits.memory_swap_max);
  add(dictionary, "cpu-quota", limits.cpu_quota_per_sec_usec);
  add(dictionary, "cpu-weight", limits.cpu_weight);
  add(dictionary, "tasks-max", limits.tasks_max);
  add(dictionary, "io-weight", limits.io_weight);
}

PropertyValue asked_limits(const SessionView& view) {
  const units::ScopeLimits& limits = view.record.limits;
  Dictionary out;
  if (!view.record.unlimited) {
    add_limits(out, limits);
    out.emplace_back("oom", std::string(limits.oom_kills_all ? "session" : "process"));
  }
  add(out, "runtime-max", view.record.runtime_max_usec);
  return out;
}

PropertyValue effective_limits(const SessionView& view) {
  const units::EffectiveLimits& limits = view.effective;
  Dictionary out;
  add_limits(out, limits);
  add(out, "runtime-max", view.record.runtime_max_usec);  // kept by the supervisor's own timer
  return out;
}

PropertyValue usage(const SessionView& view) {
  const units::CgroupUsage& usage = view.usage;
  Dictionary out;
  add(out, "memory", usage.memory);
  add(out, "memory_peak", usage.memory_peak);
  add(out, "cpu_usec", usage.cpu_usec);
  add(out, "throttled_usec", usage.throttled_usec);
  add(out, "tasks", usage.tasks);
  add(out, "tasks_peak", usage.tasks_peak);
  add(out, "io_read_bytes", usage.io_read_bytes);
  add(out, "io_write_bytes", usage.io_write_bytes);
  add(out, "oom_kills", usage.oom_kills);
  add(out, "tasks_max_hits", usage.tasks_max_hits);
  return out;
}

std::uint32_t bus_pid(pid_t pid) { return pid > 0 ? static_cast<std::uint32_t>(pid) : 0U; }

constexpr SessionProperty kProperties[] = {
    {"Id", "s", Emits::constant, false, [](const SessionView& view) -> PropertyValue { return view.record.id; }},
    {"Name", "s", Emits::constant, false, [](const SessionView& view) -> PropertyValue { return view.record.name; }},
    {"Project", "s", Emits::constant, false,
     [](const SessionView& view) -> PropertyValue { return bus_text(view.record.project); }},
    {"Profile", "s", Emits::constant, false,
     [](const SessionView& view) -> PropertyValue { return bus_text(view.record.profile); }},
    {"Command", "as", Emits::constant, false,
     [](const SessionView& view) -> PropertyValue { return bus_texts(view.record.command); }},
    {"StartTimestamp", "t", Emits::constant, false,
     [](const SessionView& view) -> PropertyValue { return view.record.started_usec; }},
    {"SupervisorPID", "u", Emits::constant, false,
     [](const SessionView& view) -> PropertyValue { return bus_pid(view.record.supervisor.pid); }},
    {"State", "s", Emits::changes, false, [](const SessionView& view) -> PropertyValue { return view.state; }},
    {"Unit", "s", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return bus_text(view.record.unit); }},
    {"Slice", "s", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return bus_text(view.record.slice); }},
    {"Manager", "s", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return bus_text(view.record.manager); }},
    {"CgroupPath", "s", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return bus_text(view.record.cgroup_directory); }},
    {"CgroupId", "t", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return view.record.cgroup_id; }},
    {"LeaderPID", "u", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return bus_pid(view.record.leader.pid); }},
    {"Network", "s", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return bus_text(view.record.network); }},
    {"Terminal", "s", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return bus_text(view.record.tty); }},
    {"Warnings", "as", Emits::changes, false,
     [](const SessionView& view) -> PropertyValue { return bus_texts(view.warnings); }},
    {"LimitsAsked", "a{sv}", Emits::changes, false, asked_limits},
    {"LimitsEffective", "a{sv}", Emits::changes, true, effective_limits},
    {"Usage", "a{sv}", Emits::nothing, true, usage},
};

// Length of the UTF-8 sequence at the front, 0 if there is none (Unicode, table 3-7). NUL cannot be.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : static_cast<unsigned char>(0);
  };
  const auto is_tail = [&](std::size_t at, unsigned char low = 0x80, unsigned char high = 0xbf) {
    return byte(at) >= low && byte(at) <= high;
  };
  const unsigned char first = byte(0);
  if (first > 0 && first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return is_tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned char low = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned char high = first == 0xed ? 0x9f : 0xbf;
    return is_tail(1, low, high) && is_tail(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned char low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xf4 ? 0x8f : 0xbf;
    return is_tail(1, low, high) && is_tail(2) && is_tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::span<const SessionProperty> session_properties() { return kProperties; }

const SessionProperty* find_property(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kProperties), std::end(kProperties),
                                         [name](const SessionProperty& property) { return property.name == name; });
  return found == std::end(kProperties) ? nullptr : found;
}

std::vector<const char*> changed_properties(const SessionView& before, const SessionView& now) {
  std::vector<const char*> names;
  for (const SessionProperty& property : kProperties) {
    if (property.emits == Emits::changes && property.read(before) != property.read(now)) names.push_back(property.name);
  }
  return names;
}

std::string bus_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    out += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace agentctl::manager::service
