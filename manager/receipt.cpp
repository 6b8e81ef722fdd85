// SPDX-License-Identifier: Apache-2.0
#include "manager/receipt.h"

#include <algorithm>
#include <cstring>

#include "base/json.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/limits_json.h"

namespace agentctl::manager {
namespace {

constexpr int kSignalBase = 128;

std::string describe_status(const SessionOutcome& outcome) {
  if (outcome.exit_status <= kSignalBase) return cat("exited with ", outcome.exit_status);
  const char* name = ::sigabbrev_np(outcome.exit_status - kSignalBase);
  return name == nullptr ? cat("exited with ", outcome.exit_status) : cat("ended by SIG", name);
}

std::string describe_memory_limit(const Record& record, const SessionOutcome& outcome) {
  return cat("killed by the memory limit: peak ", format_size(outcome.usage.memory_peak.value_or(0)), " of ",
             format_size(record.limits.memory_max));
}

std::string describe_end(const Record& record, const SessionOutcome& outcome) {
  if (outcome.oom_killed_agent()) return describe_memory_limit(record, outcome);
  switch (outcome.cause) {
    case EndCause::exited:
      return describe_status(outcome);
    case EndCause::exec_failed:
      return "could not be executed";
    case EndCause::stopped:
      return cat("stopped, ", describe_status(outcome));
    case EndCause::parent_died:
      return cat("ended since its parent died, ", describe_status(outcome));
    case EndCause::hangup:
      return cat("ended since the terminal was closed, ", describe_status(outcome));
    case EndCause::terminated:
      return cat("ended by a signal to agentctl, ", describe_status(outcome));
    case EndCause::interrupted:
      return cat("interrupted, ", describe_status(outcome));
    case EndCause::time_limit:
      return cat("ended by the time limit of ", format_duration(record.runtime_max_usec));
    case EndCause::mask_lost:
      return "ended since a hidden or protected file was laid open";
    case EndCause::lost:
      return "ended without its supervisor, which was killed,";
  }
  return describe_status(outcome);
}

std::string surface_json(const SurfaceReport& surface) {
  std::vector<std::string> objects;
  for (const SurfaceFinding& finding : surface.findings) {
    objects.push_back(JsonObject()
                          .text("path", finding.path)
                          .text("kind", finding.kind)
                          .text("run_by", finding.run_by)
                          .text("change", finding.change)
                          .text("detail", finding.detail)
                          .str());
  }
  return cat("[", join(objects, ","), "]");
}

std::string describe_executables(std::uint64_t count) {
  return count == 1 ? "1 new executable file" : cat(count, " new executable files");
}

std::string describe_dropped(const DroppedFiles& dropped) {
  constexpr std::size_t kShown = 3;
  if (dropped.count == 0) return {};
  std::vector<std::string> names;
  for (const std::string& name : dropped.names) names.push_back(printable(name));
  const std::string more = dropped.is_all ? "" : "at least ";
  return cat(
      "; ", more, dropped.count, dropped.count == 1 ? " file" : " files", " in the private home dropped: ",
      join(std::vector(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown))),
           ", "),
      names.size() > kShown ? ", …" : "");
}

// Of a session that nothing was denied to, nothing needs to be said.
std::string describe_network(const Record& record) {
  const DoorRecord& door = record.door;
  if (door.denied == 0) return {};
  return cat("; network: ", door.allowed, " let through, ", door.denied, " denied: agentctl logs --net ", record.name);
}

std::string network_json(const Record& record) {
  return JsonObject()
      .text("mode", record.network)
      .number("allowed", record.door.allowed)
      .number("denied", record.door.denied)
      .str();
}

}  // namespace

std::string format_rounded(std::uint64_t usec) {
  const std::uint64_t unit = usec < 1'000'000U ? 1'000U : usec < 60'000'000U ? 100'000U : 1'000'000U;
  return format_duration(usec / unit * unit);
}

std::string describe_surface(std::uint64_t count) {
  return count == 1 ? "1 file that the host may run" : cat(count, " files that the host may run");
}

std::string receipt_line(const Record& record, const SessionOutcome& outcome) {
  const units::CgroupUsage& usage = outcome.usage;
  // The clock may have been set back meanwhile.
  const std::uint64_t lasted = outcome.ended_usec > record.started_usec ? outcome.ended_usec - record.started_usec : 0;
  // Of a lost session nobody knows more than when it was found.
  const bool is_lost = outcome.cause == EndCause::lost;
  std::string line =
      cat(record.name, ": ", describe_end(record, outcome), is_lost ? " at most " : " after ", format_rounded(lasted));
  if (is_lost) line += " after its start";
  if (usage.memory_peak)
    line += cat("; memory peak ", format_size(*usage.memory_peak), " of ", format_size(record.limits.memory_max));
  if (usage.cpu_usec) line += cat("; CPU ", format_rounded(*usage.cpu_usec));
  if (usage.tasks_peak) line += cat("; tasks ", *usage.tasks_peak, " of ", format_count(record.limits.tasks_max));
  if (usage.throttled_usec.value_or(0) > 1'000'000)
    line += cat("; throttled for ", format_rounded(*usage.throttled_usec));
  if (usage.oom_kills > 0 && !outcome.oom_killed_agent())
    line += cat("; ", usage.oom_kills, " killed by the memory limit");
  if (usage.tasks_max_hits > 0) line += cat("; the task limit refused ", usage.tasks_max_hits, " forks");
  if (!outcome.killed.empty()) line += cat("; had to be killed: ", join_some(outcome.killed, ", ", kMostNamed));
  if (record.unlimited) line += "; ran without limits";
  line += describe_network(record);
  line += describe_dropped(outcome.dropped);
  std::vector<std::string> left;
  if (outcome.surface.count > 0) left.push_back(cat(describe_surface(outcome.surface.count), " changed"));
  if (outcome.surface.executable_count > 0) left.push_back(describe_executables(outcome.surface.executable_count));
  if (!left.empty()) line += cat("; ", join(left, ", "), ": agentctl receipt ", record.name);
  return line;
}

std::string receipt_json(const Record& record, const SessionOutcome& outcome) {
  return JsonObject()
      .text("id", record.id)
      .text("name", record.name)
      .text("profile", record.profile)
      .text("project", record.project)
      .list("command", record.command)
      .text("unit", record.unit)
      .text("manager", record.manager)
      .number("started_usec", record.started_usec)
      .number("ended_usec", outcome.ended_usec)
      .text("cause", to_string(outcome.cause))
      .raw("exit_status", outcome.cause == EndCause::lost ? "null" : std::to_string(outcome.exit_status))
      .boolean("killed_by_memory_limit", outcome.oom_killed_agent())
      .raw("limits", asked_limits_json(record))
      .raw("usage", usage_json(outcome.usage))
      .raw("network", network_json(record))
      .list("killed", outcome.killed)
      .list("warnings", record.warnings)
      .list("restored", outcome.restored)
      .list("problems", outcome.problems)
      .text("summary", receipt_line(record, outcome))
      .raw("exec_surface", surface_json(outcome.surface))
      .number("exec_surface_count", outcome.surface.count)
      .list("exec_surface_gaps", outcome.surface.gaps)
      .list("new_executables", outcome.surface.executables)
      .number("new_executable_count", outcome.surface.executable_count)
      .list("dropped", outcome.dropped.names)
      .number("dropped_count", outcome.dropped.count)
      .str();
}

}  // namespace agentctl::manager
