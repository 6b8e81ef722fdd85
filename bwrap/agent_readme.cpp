// SPDX-License-Identifier: Apache-2.0
#include "bwrap/agent_readme.h"

#include <algorithm>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kHead =
    "You run in a sandbox that the user has chosen (agentctl). What is listed here is meant to\n"
    "be so: the machine is not broken, and no restart, other tool or second try will change it.\n"
    "When you need what is refused here, stop, and tell the user what you need and why.\n";

constexpr const char* kFiles =
    "  Programs and the settings of the system are read-only, and much of the machine is not\n"
    "  there at all: \"No such file\" and \"Read-only file system\" are the sandbox.\n"
    "  Known places of secrets are not there, or are empty and read-only: leave them alone.\n"
    "  In the project, what the user's own tools run later (hooks and configuration of git,\n"
    "  for example) may be read-only. /tmp is private and gone when the session ends.\n";

constexpr const char* kPrivileges =
    "  sudo, su and other set-uid programs gain nothing. No systemd, D-Bus, Docker or Podman of\n"
    "  the user can be reached, unless the user has opened it.\n";

constexpr const char* kRemedy =
    "  Only the user can change this, from outside, mostly for a new session:\n"
    "  'agentctl explain PATH' says which rule shows or hides a path, 'agentctl start --help'\n"
    "  lists what a start can open (--ro, --rw, --copy, --env, --net, --memory-max ...).\n";

std::string_view describe_home(policy::HomeMode home) {
  switch (home) {
    case policy::HomeMode::private_home:
      return "  The home directory is private: what you write in it, outside of the directories of your\n"
             "  own state, is gone when the session ends.\n";
    case policy::HomeMode::persistent:
      return "  The home directory belongs to this project and is kept; it is not the user's own.\n";
    case policy::HomeMode::read_only:
      return "  The home directory is the user's own and read-only, with known places of secrets hidden.\n";
  }
  return {};
}

std::string_view describe_network(policy::NetworkMode mode) {
  switch (mode) {
    case policy::NetworkMode::host:
      return "  The network of this machine is shared with you.\n";
    case policy::NetworkMode::allowlist:
      return "  You reach the hosts that the user allows and no others, by TCP alone: ports 80 and 443, and\n"
             "  what a rule names. A refusal says why (HTTP status 403, \"access denied\" in TLS). When you\n"
             "  need another host, stop, and tell the user its name and port: 'agentctl allow' opens it while\n"
             "  you run. 127.0.0.1 is the session's own, and HTTPS_PROXY leads to what asks the rules.\n";
    case policy::NetworkMode::nat:
      return "  You reach the public internet. This machine itself and the networks around it are closed,\n"
             "  private addresses too; 127.0.0.1 is the session's own.\n";
    case policy::NetworkMode::none:
      return "  There is none, and no name can be resolved; 127.0.0.1 is the session's own.\n";
  }
  return {};
}

std::string limit_line(std::string_view name, std::uint64_t value, const std::string& text) {
  return cat("  ", name, std::string(11 - name.size(), ' '), value == kInfinity ? "no limit" : text, "\n");
}

std::string describe_limits(const std::optional<policy::Limits>& limits) {
  if (!limits) return "  None but those of the machine itself.\n";
  const bool ends_all = limits->oom == policy::OomMode::session;
  std::string text = limit_line("memory", limits->memory_max,
                                cat(format_size(limits->memory_max), " and ", format_size(limits->memory_swap_max),
                                    " of swap, /tmp included; above it ",
                                    ends_all ? "the session is ended" : "a process is killed (status 137)"));
  text += limit_line("processes", limits->tasks_max,
                     cat(limits->tasks_max, ", threads included; above it no other can be made"));
  text += limit_line("CPU", limits->cpu_quota_per_sec_usec,
                     cat(format_cpu_quota(limits->cpu_quota_per_sec_usec), ", where 100% is one CPU"));
  return text + limit_line("time", limits->runtime_max_usec, format_duration(limits->runtime_max_usec));
}

}  // namespace

std::string agent_readme(const Plan& plan, policy::HomeMode home, const std::optional<policy::Limits>& limits) {
  return cat(kHead, "\nFiles\n  You may write the project, '", printable(plan.working_directory.str()), "'.\n",
             describe_home(home), kFiles, "\nNetwork\n", describe_network(plan.network), "\nLimits\n",
             describe_limits(limits), "\nPrivileges\n", kPrivileges, "\nMore\n", kRemedy);
}

void add_agent_readme(policy::HomeMode home, const std::optional<policy::Limits>& limits, Plan& plan) {
  Operation readme;
  readme.kind = OperationKind::data;
  readme.destination = SandboxPath(kReadmePath);
  readme.text = agent_readme(plan, home, limits);
  readme.origin = "built-in default";
  const auto sealing = std::find_if(plan.operations.begin(), plan.operations.end(), [](const Operation& operation) {
    return operation.kind == OperationKind::remount_read_only;
  });
  plan.operations.insert(sealing, std::move(readme));
}

}  // namespace agentctl::bwrap
