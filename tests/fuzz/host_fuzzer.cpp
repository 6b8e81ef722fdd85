// SPDX-License-Identifier: Apache-2.0
// A rule in the first line, a host in the second, the value of NO_PROXY in the third.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/text.h"
#include "egress/decision.h"
#include "egress/upstream.h"
#include "policy/address_class.h"
#include "policy/host_rule.h"
#include "tests/fuzz/require.h"

namespace {

using namespace agentctl;

// What is compared as text anywhere must have one spelling.
void require_canonical(const policy::HostName& name) {
  const std::string& text = name.text();
  fuzz::require(!text.empty() && text.size() <= policy::kLongestHostName && !text.starts_with('.') &&
                !text.ends_with('.'));
  fuzz::require(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == std::string::npos);
  fuzz::require(text.find("..") == std::string::npos && !policy::ends_in_number(text));
  const auto again = policy::parse_host_name(text);
  fuzz::require(again && *again == name && *policy::parse_host_name(text + ".") == name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> lines = split({reinterpret_cast<const char*>(data), size}, '\n');
  const std::string asked = lines.size() > 1 ? lines[1] : "";
  const auto parsed = policy::parse_host_and_port(asked);
  if (!parsed) {
    fuzz::require_printable(parsed.error().message);
  } else {
    if (const auto* name = std::get_if<policy::HostName>(&parsed->host)) require_canonical(*name);
    const policy::Endpoint endpoint{parsed->host, parsed->port.value_or(443)};
    const auto again = policy::parse_host_and_port(policy::to_string(endpoint));
    fuzz::require(again && again->host == endpoint.host && again->port == endpoint.port);
    if (lines.size() > 2) (void)egress::DirectHosts(lines[2]).contain(endpoint);
  }
  if (const auto upstream = egress::parse_upstream(lines[0]); !upstream)
    fuzz::require_printable(upstream.error().message);

  const auto rule = policy::parse_allow_rule(lines[0]);
  if (!rule) {
    fuzz::require_printable(rule.error().message);
    return 0;
  }
  fuzz::require(*policy::parse_allow_rule(policy::to_string(*rule)) == *rule);
  fuzz::require_printable(policy::remark(*rule));
  egress::AccessList list;
  list.allow(*rule);
  // No rule opens the loopback, by name or by address.
  const auto loopback = *policy::parse_ipv4("127.0.0.1");
  fuzz::require(list.judge(policy::Host(*policy::parse_host_name("localhost")), 80).kind ==
                egress::Verdict::Kind::no_rule);
  const egress::Permit permit{{*policy::parse_host_name("a.example"), 80}, {*rule, {}}, egress::Carries::http};
  fuzz::require(std::holds_alternative<egress::Denial>(egress::choose_targets(list, {}, permit, {loopback})));
  if (!parsed) return 0;
  // A name is permitted only with the rule's name as its last labels, and denied once a deny rule says the same.
  const std::uint16_t port = rule->port.value_or(443);
  const bool is_allowed = list.judge(parsed->host, port).kind == egress::Verdict::Kind::allowed;
  fuzz::require(is_allowed == policy::matches(*rule, parsed->host));
  if (const auto* pattern = std::get_if<policy::NamePattern>(&rule->hosts); is_allowed && pattern != nullptr) {
    fuzz::require(cat(".", policy::to_string(parsed->host)).ends_with(cat(".", pattern->name.text())));
  }
  list.deny(*rule);
  fuzz::require(list.judge(parsed->host, port).kind != egress::Verdict::Kind::allowed);
  return 0;
}
