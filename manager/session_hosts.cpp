// SPDX-License-Identifier: Apache-2.0
#include "manager/session_hosts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "policy/host.h"

namespace agentctl::manager {
namespace {

constexpr std::uint16_t kUsualPorts[] = {443, 80};

// One host that the rule is for: of a pattern for names below another, any.
std::optional<policy::Host> example_of(const policy::HostRule& rule) {
  if (const auto* prefix = std::get_if<policy::IpPrefix>(&rule.hosts)) return policy::Host(prefix->address);
  const auto& pattern = std::get<policy::NamePattern>(rule.hosts);
  if (pattern.reach != policy::NameReach::below) return policy::Host(pattern.name);
  const auto below = policy::parse_host(cat("any.", pattern.name.text()));
  return below ? std::optional(*below) : std::nullopt;
}

std::vector<std::string> texts(const std::vector<egress::AccessRule>& rules) {
  std::vector<std::string> out;
  for (const egress::AccessRule& rule : rules) out.push_back(policy::to_string(rule.rule));
  return out;
}

void add_live(const std::vector<egress::AccessRule>& rules, std::string_view verb, std::vector<std::string>& live) {
  for (const egress::AccessRule& rule : rules) {
    if (rule.origin.source == cat("agentctl ", verb)) live.push_back(cat(verb, " ", policy::to_string(rule.rule)));
  }
}

}  // namespace

SessionHosts::SessionHosts(egress::AccessList rules, const std::vector<std::uint16_t>& host_ports)
    : rules_(std::move(rules)), door_ports_(host_ports.begin(), host_ports.end()) {
  door_ports_.insert({53, 80, 443, egress::kDoorPort});
  for (const egress::AccessRule& allowed : rules_.allowed()) {
    if (allowed.rule.port) door_ports_.insert(*allowed.rule.port);
  }
}

void SessionHosts::allow(const policy::HostRule& rule) {
  rules_.allow(rule);
  if (rule.port) door_ports_.insert(*rule.port);
}

Result<void> SessionHosts::check_allow(const policy::HostRule& rule) const {
  egress::AccessList changed = rules_;
  changed.allow(rule);
  const auto host = example_of(rule);
  if (!host) return {};
  std::optional<egress::AccessRule> denied;
  for (const std::uint16_t usual : kUsualPorts) {
    const egress::Verdict verdict = changed.judge(*host, rule.port.value_or(usual));
    if (verdict.kind != egress::Verdict::Kind::denied) return {};
    denied = verdict.rule;
  }
  const bool is_live = denied->origin.source == "agentctl deny";
  return make_error(ErrorKind::usage,
                    cat("'", policy::to_string(rule), "' is denied by ", egress::to_string(*denied), ", which wins"),
                    is_live ? "to take that back, allow just what was denied"
                            : "a denial of the policy stays until the session ends");
}

void SessionHosts::write_to(Record& record) const {
  record.hosts_allowed = texts(rules_.allowed());
  record.hosts_denied = texts(rules_.denied());
  record.hosts_changed.clear();
  add_live(rules_.allowed(), "allow", record.hosts_changed);
  add_live(rules_.denied(), "deny", record.hosts_changed);
}

void write_to(Record& record, const egress::DoorTold& told) {
  record.door.allowed = told.allowed;
  record.door.denied = told.denied;
  record.door.denial = told.denial;
  record.door.remedy = told.remedy;
}

std::string describe_denial(const Record& record) {
  if (record.door.denial.empty()) return {};
  return cat("network: ", record.door.denial,
             record.door.remedy.empty() ? "" : cat("; to allow it: ", record.door.remedy));
}

}  // namespace agentctl::manager
