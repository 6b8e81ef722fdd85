// SPDX-License-Identifier: Apache-2.0
// HostRule: an entry of [network] allow or deny, "HOST" or "HOST:PORT". Pure.
//   example.com        this name           *.example.com   every name below it, at any depth, and not itself
//   **.example.com     both                192.0.2.7, [2001:db8::7]   this address
//   10.0.0.0/8, [fd00::/8]                 a range; its addresses count only where a rule names them, never by a name
//   alone
// Without a port an allow rule means 80 and 443 and a deny rule every port. Patterns go by whole labels; '*' stands
// nowhere else. What a rule does not protect against: whoever may reach a host can leave data there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "policy/host.h"

namespace agentctl::policy {

enum class NameReach { exact, below, both };

struct NamePattern {
  HostName name;
  NameReach reach = NameReach::exact;
  friend bool operator==(const NamePattern&, const NamePattern&) = default;
};
[[nodiscard]] bool matches(const NamePattern& pattern, const HostName& name);

struct HostRule {
  std::variant<NamePattern, IpPrefix> hosts;
  std::optional<std::uint16_t> port;
  friend bool operator==(const HostRule&, const HostRule&) = default;
};
[[nodiscard]] bool matches(const HostRule& rule, const Host& host);  // whatever the port

// Errors (kind policy) hold only the fault: "must not hold a path". An allow rule is also refused where it would open
// nothing (the loopback) or everything ("*", "*.com", "0.0.0.0/0").
[[nodiscard]] Result<HostRule> parse_allow_rule(std::string_view text);
[[nodiscard]] Result<HostRule> parse_deny_rule(std::string_view text);

// Entries as policy files have them, after an optional "!"; "!*" takes out all that came before (host_list.h).
inline constexpr std::string_view kNoneBefore = "!*";
[[nodiscard]] Result<void> check_allow_entry(std::string_view entry);
[[nodiscard]] Result<void> check_deny_entry(std::string_view entry);

[[nodiscard]] std::string to_string(
    const HostRule& rule);  // the one spelling of it: "*.example.com", "[2001:db8::7]:22"

// What an allow rule opens beyond one public host, to be said wherever it takes effect: "every host below 'github.io',
// where anybody can have one". Empty when there is nothing to say.
[[nodiscard]] std::string remark(const HostRule& rule);

}  // namespace agentctl::policy
