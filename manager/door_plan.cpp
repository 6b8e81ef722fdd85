// SPDX-License-Identifier: Apache-2.0
#include "manager/door_plan.h"

#include <utility>

#include "base/text.h"
#include "policy/host.h"
#include "policy/host_list.h"

namespace agentctl::manager {
namespace {

constexpr const char* kProxyVariables[] = {"https_proxy", "HTTPS_PROXY", "http_proxy",
                                           "HTTP_PROXY",  "all_proxy",   "ALL_PROXY"};
constexpr const char* kExceptionVariables[] = {"no_proxy", "NO_PROXY"};

std::string value_of(const std::map<std::string, std::string>& environment, const char* name) {
  const auto entry = environment.find(name);
  return entry == environment.end() ? std::string() : std::string(trim(entry->second));
}

}  // namespace

Result<DoorPlan> plan_door(const policy::HostSettings& hosts, const std::map<std::string, std::string>& environment) {
  DoorPlan plan;
  plan.rules = AGENTCTL_TRY(egress::AccessList::from(policy::all_allowed(hosts), hosts.deny));
  for (const policy::Entry& entry : hosts.host_ports) {
    plan.host_ports.push_back(AGENTCTL_TRY(policy::parse_port(entry.text)));
  }
  for (const char* name : kProxyVariables) {
    const std::string value = value_of(environment, name);
    if (value.empty()) continue;
    auto upstream = egress::parse_upstream(value);
    if (!upstream) {
      upstream.error().prepend(cat("cannot use the proxy that the variable ", name, " names"));
      return std::move(upstream).error().with_hint(
          cat("with network allowlist a session goes through it: write 'http://HOST:PORT', or start with 'env -u ",
              name, " agentctl start …' to go without"));
    }
    plan.upstream = std::move(*upstream);
    plan.upstream_variable = name;
    break;
  }
  for (const char* name : kExceptionVariables) {
    if (plan.direct_hosts.empty()) plan.direct_hosts = value_of(environment, name);
  }
  return plan;
}

std::string describe_upstream(const DoorPlan& plan) {
  if (!plan.upstream) return {};
  return cat("'", policy::to_string(plan.upstream->endpoint), "' (", plan.upstream_variable, ")");
}

egress::Door open_door(const DoorPlan& plan, const std::string& session, UniqueFd log) {
  return egress::Door({.rules = plan.rules,
                       .session = session,
                       .log = std::move(log),
                       .host_ports = plan.host_ports,
                       .upstream = plan.upstream,
                       .direct_hosts = plan.direct_hosts});
}

}  // namespace agentctl::manager
