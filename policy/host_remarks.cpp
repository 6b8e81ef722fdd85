// SPDX-License-Identifier: Apache-2.0
#include "policy/host_remarks.h"

#include <algorithm>

#include "base/text.h"
#include "policy/choice.h"
#include "policy/host_list.h"
#include "policy/host_rule.h"

namespace agentctl::policy {
namespace {

constexpr const char* kNothingAllowed =
    "network: no host is allowed, so none is reached: see 'allow' of [network], --allow, and 'agentctl allow' for a "
    "session that runs";

std::string named(const Entry& entry) { return cat("'", printable(entry.text), "' (", to_string(entry.origin), ")"); }

}  // namespace

std::vector<std::string> host_remarks(const Policy& policy) {
  std::vector<std::string> remarks;
  const HostSettings& hosts = policy.hosts;
  const NetworkMode mode = network_mode(policy);
  if (mode == NetworkMode::nat || mode == NetworkMode::host) {
    const auto denial = std::find_if(hosts.deny.begin(), hosts.deny.end(),
                                     [](const Entry& entry) { return !is_built_in(entry.origin); });
    if (denial == hosts.deny.end()) return remarks;
    remarks.push_back(cat("network: ", named(*denial),
                          " in 'deny' has no effect: it is heeded with the mode "
                          "\"allowlist\" alone, and this is \"",
                          to_string(mode), "\""));
  }
  if (mode != NetworkMode::allowlist) return remarks;
  for (const Entry& port : hosts.host_ports) {
    remarks.push_back(cat("network: port ", printable(port.text), " of this machine's own loopback is reached inside (",
                          to_string(port.origin), ")"));
  }
  const Entries reached = all_allowed(hosts);
  if (reached.empty()) remarks.emplace_back(kNothingAllowed);
  for (const Entry& entry : reached) {
    const auto rule = parse_allow_rule(entry.text);
    const std::string opened = rule && !is_built_in(entry.origin) ? remark(*rule) : std::string();
    if (!opened.empty()) remarks.push_back(cat("network: ", named(entry), " allows ", opened));
  }
  return remarks;
}

}  // namespace agentctl::policy
