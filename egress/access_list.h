// SPDX-License-Identifier: Apache-2.0
// AccessList: which hosts a session may reach: the rules of [network] allow and deny, and those added while it runs.
// Closed by default: what no rule allows is denied, so an empty list denies everything, and deny wins over allow. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/host_rule.h"
#include "policy/policy.h"

namespace agentctl::egress {

struct AccessRule {
  policy::HostRule rule;
  policy::Origin origin;
  friend bool operator==(const AccessRule&, const AccessRule&) = default;
};
[[nodiscard]] std::string to_string(const AccessRule& rule);  // "'*.example.com' (policy.toml:3:9)"

// Whether a rule with no port of its own means this one: 80 or 443.
[[nodiscard]] bool is_usual_port(std::uint16_t port);

struct Verdict {
  enum class Kind {
    allowed,
    denied,      // a deny rule says so
    other_port,  // a rule allows the host on another port only
    no_rule,
  };
  Kind kind = Kind::no_rule;
  std::optional<AccessRule> rule;  // the one that decided; none for no_rule
};

class AccessList {
 public:
  // From a policy that was checked: an entry that is no rule is an error with its place.
  [[nodiscard]] static Result<AccessList> from(const policy::Entries& allow, const policy::Entries& deny);

  // While the session runs. Each takes back what the other added for the very same rule; what a policy denies stays
  // denied.
  void allow(policy::HostRule rule);
  void deny(policy::HostRule rule);

  [[nodiscard]] Verdict judge(const policy::Host& host, std::uint16_t port) const;
  // Whether a rule allows the name on some port, so that it may be looked up at all.
  [[nodiscard]] bool may_resolve(const policy::HostName& name) const;
  // Whether a rule for addresses, not for names, opens this one: `exactly`, a rule for it alone.
  [[nodiscard]] bool opens(const policy::IpAddress& address, std::uint16_t port, bool exactly) const;

  [[nodiscard]] const std::vector<AccessRule>& allowed() const { return allow_; }
  [[nodiscard]] const std::vector<AccessRule>& denied() const { return deny_; }

 private:
  std::vector<AccessRule> allow_;
  std::vector<AccessRule> deny_;
};

}  // namespace agentctl::egress
