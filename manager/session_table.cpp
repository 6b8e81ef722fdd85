// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"
#include "base/text.h"
#include "manager/session_view.h"
#include "manager/text_table.h"

namespace agentctl::manager {
namespace {

std::string amount(const std::optional<std::uint64_t>& value) { return value ? format_size(*value) : "-"; }
std::string count(const std::optional<std::uint64_t>& value) { return value ? format_count(*value) : "-"; }

// Whole seconds: a table is for people.
std::string age(std::uint64_t started_usec, std::uint64_t now_usec) {
  if (now_usec < started_usec) return "-";
  return format_duration((now_usec - started_usec) / 1'000'000U * 1'000'000U);
}

std::string limit_line(const char* knob, const std::string& asked, const std::string& effective) {
  return cat("  ", knob, std::string(13 - std::string_view(knob).size(), ' '), "asked ", asked, ", effective ",
             effective, "\n");
}

// All rules are in the JSON; people ask for what has changed, and why something does not work.
std::string network_lines(const Record& record) {
  std::string text = cat("network    ", record.network);
  if (!record.published.empty()) text += cat(", published ", join(record.published, ", "));
  if (record.network != "allowlist") return text + "\n";
  const DoorRecord& door = record.door;
  text += cat(": rules: ", record.hosts_allowed.size(), " allow, ", record.hosts_denied.size(),
              " deny; connections: ", door.allowed, " let through, ", door.denied, " denied\n");
  for (const std::string& change : record.hosts_changed) text += cat("changed    ", printable(change), "\n");
  if (door.denial.empty()) return text;
  text += cat("denied     ", printable(door.denial), "\n");
  if (!door.remedy.empty()) text += cat("           to allow it: ", printable(door.remedy), "\n");
  return text;
}

}  // namespace

std::string session_table(const std::vector<SessionView>& views, std::uint64_t now_usec) {
  std::vector<TableRow> rows = {{"NAME", "STATE", "AGE", "MEMORY", "CPU", "TASKS", "PROJECT"}};
  for (const SessionView& view : views) {
    const auto cpu = view.usage.cpu_usec;
    rows.push_back(
        {view.record.name, view.state, age(view.record.started_usec, now_usec),
         cat(amount(view.usage.memory), "/", amount(view.effective.memory_max)), cpu ? format_duration(*cpu) : "-",
         cat(count(view.usage.tasks), "/", count(view.effective.tasks_max)), printable(view.record.project)});
  }
  return text_table(rows);
}

std::string session_details(const SessionView& view, std::uint64_t now_usec) {
  const Record& record = view.record;
  const units::ScopeLimits& asked = record.limits;
  const units::EffectiveLimits& found = view.effective;
  std::string text =
      cat(record.name, " (", record.id, ")  ", view.state, "  ", age(record.started_usec, now_usec), "\n");
  text += cat("command    ", shell_quote(record.command), "\nprofile    ", printable(record.profile), "\nproject    ",
              printable(record.project), "\nunit       ", record.unit.empty() ? "none" : record.unit, " (manager ",
              record.manager, ")\ncgroup     ", printable(record.cgroup_directory), " (id ", record.cgroup_id, ")\n");
  text += network_lines(record);
  text += cat("pids       supervisor ", record.supervisor.pid, ", agent ", record.leader.pid, "\n");
  text += "limits\n";
  if (record.unlimited) {
    text += "  none: started with --no-limits\n";
  } else {
    const auto quota = found.cpu_quota_per_sec_usec;
    text += limit_line("memory-max", format_size(asked.memory_max), amount(found.memory_max));
    if (asked.memory_high)
      text += limit_line("memory-high", format_size(*asked.memory_high), amount(found.memory_high));
    text += limit_line("swap-max", format_size(asked.memory_swap_max), amount(found.memory_swap_max));
    text +=
        limit_line("cpu-quota", format_cpu_quota(asked.cpu_quota_per_sec_usec), quota ? format_cpu_quota(*quota) : "-");
    text += limit_line("cpu-weight", format_count(asked.cpu_weight), count(found.cpu_weight));
    text += limit_line("tasks-max", format_count(asked.tasks_max), count(found.tasks_max));
    if (asked.io_weight) text += limit_line("io-weight", format_count(*asked.io_weight), count(found.io_weight));
  }
  text += cat("  runtime-max  ", format_duration(record.runtime_max_usec), "\n");
  const units::CgroupUsage& usage = view.usage;
  text += cat("usage      memory ", amount(usage.memory), " (peak ", amount(usage.memory_peak), "), CPU ",
              usage.cpu_usec ? format_duration(*usage.cpu_usec) : "-", ", tasks ", count(usage.tasks), "\n");
  text += cat("sandbox    own namespaces: ", join(record.namespaces, " "), "\n");
  for (const std::string& path : record.writable) text += cat("writable   ", printable(path), "\n");
  for (const std::string& path : record.hidden) text += cat("hidden     ", printable(path), "\n");
  for (const std::string& warning : view.warnings) text += cat("warning    ", printable(warning), "\n");
  return text;
}

}  // namespace agentctl::manager
