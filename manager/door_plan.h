// SPDX-License-Identifier: Apache-2.0
// DoorPlan: what the door of a session with the network mode allowlist (egress/door.h) goes by: the policy's rules, and
// the proxy that this machine itself goes through, where the caller's environment names one. Pure, but for open_door().
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/access_list.h"
#include "egress/door.h"
#include "egress/upstream.h"
#include "policy/policy.h"

namespace agentctl::manager {

struct DoorPlan {
  egress::AccessList rules;
  std::vector<std::uint16_t> host_ports;
  std::optional<egress::Upstream> upstream;
  std::string upstream_variable;  // by which it is named: "HTTPS_PROXY"
  std::string direct_hosts;       // NO_PROXY: what is reached without it
};

// `hosts` were checked. Of the variables HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, in lower case first, the first that has
// a value counts, as with curl(1). One that cannot be used is an Error (kind environment): without that proxy the
// session would go where its user does not; it shows no login.
[[nodiscard]] Result<DoorPlan> plan_door(const policy::HostSettings& hosts,
                                         const std::map<std::string, std::string>& environment);

// "'proxy.example:3128' (HTTPS_PROXY)", without its login; empty where there is none.
[[nodiscard]] std::string describe_upstream(const DoorPlan& plan);

// `session`: its name; `log`: see DoorRequest.
[[nodiscard]] egress::Door open_door(const DoorPlan& plan, const std::string& session, UniqueFd log);

}  // namespace agentctl::manager
