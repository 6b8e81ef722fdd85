// SPDX-License-Identifier: Apache-2.0
// SessionHosts: the hosts that one running session may reach, as its record tells of them: the rules that its door was
// given, and what was allowed and denied since. It decides nothing: that the door does, in a process of its own. Owned
// by the session. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/result.h"
#include "egress/access_list.h"
#include "egress/door.h"
#include "manager/record.h"
#include "policy/host_rule.h"

namespace agentctl::manager {

class SessionHosts {
 public:
  SessionHosts(egress::AccessList rules, const std::vector<std::uint16_t>& host_ports);

  // What a rule denies that the session was started with stays denied: an Error names it where allowing would change
  // nothing.
  [[nodiscard]] Result<void> check_allow(const policy::HostRule& rule) const;
  void allow(const policy::HostRule& rule);
  void deny(const policy::HostRule& rule) { rules_.deny(rule); }

  void write_to(Record& record) const;

  // Where the door listens, for host-ports too, in the session's network, or has: no server of the agent's is to be
  // expected there.
  [[nodiscard]] const std::set<std::uint16_t>& door_ports() const { return door_ports_; }

 private:
  egress::AccessList rules_;
  std::set<std::uint16_t> door_ports_;
};

// What the door has told.
void write_to(Record& record, const egress::DoorTold& told);

// A sentence for the user: "network: 'example.com:443' is denied: no rule allows it; to allow it: agentctl allow …".
[[nodiscard]] std::string describe_denial(const Record& record);

}  // namespace agentctl::manager
