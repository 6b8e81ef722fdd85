// SPDX-License-Identifier: Apache-2.0
#include "manager/session_view.h"

#include "base/json.h"
#include "base/process.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/limits_json.h"

namespace agentctl::manager {

SessionView view_session(const Record& record) {
  SessionView view;
  view.record = record;
  view.state = record.state;
  view.warnings = record.warnings;
  if (record.cgroup_path.empty()) return view;
  const auto cgroup = units::Cgroup::open(record.cgroup_path);
  if (!cgroup || cgroup->id() != record.cgroup_id) {
    view.warnings.emplace_back("its cgroup is gone");
    return view;
  }
  view.effective = cgroup->read_limits();
  view.usage = cgroup->read_usage();
  const bool is_live = record.state == "running" || record.state == "frozen";
  if (is_live) view.state = cgroup->frozen() ? "frozen" : "running";
  if (record.state == "frozen" && view.state == "running") view.warnings.emplace_back("paused, but somebody thawed it");
  if (const auto stat = read_process_stat(record.supervisor.pid); stat && stat->state == 'T') {
    view.warnings.emplace_back("suspended with Ctrl-Z: continue it with fg in its terminal");
  }
  for (const units::LimitDifference& difference :
       units::compare_limits(record.limits, view.effective, cgroup->version())) {
    view.warnings.push_back(cat(difference.knob, ": asked ", difference.asked, ", effective ", difference.found));
  }
  if (!units::prove_membership(record.leader.pid, *cgroup, false)) {
    view.warnings.emplace_back("the agent is no longer in its cgroup: somebody moved it");
  }
  return view;
}

std::string session_json(const SessionView& view) {
  const Record& record = view.record;
  const std::string parent =
      JsonObject().text("kind", record.parent_kind).number("pid", static_cast<std::uint64_t>(record.parent_pid)).str();
  const std::string cgroup = JsonObject()
                                 .text("path", record.cgroup_directory)
                                 .number("id", record.cgroup_id)
                                 .number("version", static_cast<std::uint64_t>(record.cgroup_version))
                                 .str();
  const std::string limits = JsonObject()
                                 .raw("asked", asked_limits_json(record))
                                 .raw("effective", effective_limits_json(record, view.effective))
                                 .str();
  const std::string denial = JsonObject().text("text", record.door.denial).text("remedy", record.door.remedy).str();
  const std::string network = JsonObject()
                                  .text("mode", record.network)
                                  .number("allowed", record.door.allowed)
                                  .number("denied", record.door.denied)
                                  .list("published", record.published)
                                  .list("allow", record.hosts_allowed)
                                  .list("deny", record.hosts_denied)
                                  .raw("last_denial", record.door.denial.empty() ? "null" : denial)
                                  .str();
  const std::string pids = JsonObject()
                               .number("supervisor", static_cast<std::uint64_t>(record.supervisor.pid))
                               .number("leader", static_cast<std::uint64_t>(record.leader.pid))
                               .str();
  const std::string sandbox = JsonObject()
                                  .list("namespaces", record.namespaces)
                                  .list("hidden", record.hidden)
                                  .list("writable", record.writable)
                                  .str();
  return JsonObject()
      .text("name", record.name)
      .text("id", record.id)
      .text("state", view.state)
      .text("profile", record.profile)
      .text("project", record.project)
      .list("command", record.command)
      .raw("parent", parent)
      .number("started", record.started_usec)
      .text("unit", record.unit)
      .text("slice", record.slice)
      .text("manager", record.manager)
      .raw("cgroup", cgroup)
      .raw("limits", limits)
      .raw("usage", usage_json(view.usage))
      .raw("network", network)
      .text("tty", record.tty)
      .raw("pids", pids)
      .raw("sandbox", sandbox)
      .list("warnings", view.warnings)
      .str();
}

}  // namespace agentctl::manager
