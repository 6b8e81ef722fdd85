// SPDX-License-Identifier: Apache-2.0
#include "manager/receipt.h"

#include <cstring>

#include "base/quantity.h"
#include "base/text.h"
#include "manager/json.h"
#include "manager/limits_json.h"

namespace agentctl::manager {
namespace {

constexpr int kSignalBase = 128;

// A receipt is for people: milliseconds below a second, tenths below a minute, seconds above.
std::string format_rounded(std::uint64_t usec) {
  const std::uint64_t unit = usec < 1'000'000U ? 1'000U : usec < 60'000'000U ? 100'000U : 1'000'000U;
  return format_duration(usec / unit * unit);
}

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

}  // namespace

std::string describe_surface(std::uint64_t count) {
  return count == 1 ? "1 file that the host may run" : cat(count, " files that the host may run");
}

std::string receipt_line(const Record& record, const SessionOutcome& outcome) {
  const units::CgroupUsage& usage = outcome.usage;
  // The clock may have been set back meanwhile.
  const std::uint64_t lasted = outcome.ended_usec > record.started_usec ? outcome.ended_usec - record.started_usec : 0;
  std::string line = cat(record.name, ": ", describe_end(record, outcome), " after ", format_rounded(lasted));
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
  if (outcome.surface.count > 0) {
    line += cat("; ", describe_surface(outcome.surface.count), " changed: agentctl receipt ", record.name);
  }
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
      .number("exit_status", static_cast<std::uint64_t>(outcome.exit_status))
      .boolean("killed_by_memory_limit", outcome.oom_killed_agent())
      .raw("limits", asked_limits_json(record))
      .raw("usage", usage_json(outcome.usage))
      .list("killed", outcome.killed)
      .list("warnings", record.warnings)
      .list("restored", outcome.restored)
      .list("problems", outcome.problems)
      .text("summary", receipt_line(record, outcome))
      .raw("exec_surface", surface_json(outcome.surface))
      .number("exec_surface_count", outcome.surface.count)
      .list("exec_surface_gaps", outcome.surface.gaps)
      .str();
}

}  // namespace agentctl::manager
