// SPDX-License-Identifier: Apache-2.0
#include "egress/access_list.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::egress {
namespace {

constexpr const char* kLiveAllow = "agentctl allow";
constexpr const char* kLiveDeny = "agentctl deny";

Result<std::vector<AccessRule>> read(const policy::Entries& entries, std::string_view list,
                                     Result<policy::HostRule> (*parse)(std::string_view)) {
  std::vector<AccessRule> rules;
  for (const policy::Entry& entry : entries) {
    auto rule = parse(entry.text);
    if (!rule) {
      return make_error(ErrorKind::policy, cat(policy::to_string(entry.origin), ": '", printable(entry.text), "' in '",
                                               list, "' ", rule.error().message));
    }
    rules.push_back({std::move(*rule), entry.origin});
  }
  return rules;
}

// Takes the same rule out of `other` if it was put there while the session ran, and puts it into `rules` once.
void change(std::vector<AccessRule>& rules, const char* origin, std::vector<AccessRule>& other, std::string_view undone,
            policy::HostRule rule) {
  std::erase_if(other, [&](const AccessRule& old) { return old.rule == rule && old.origin.source == undone; });
  const bool is_there =
      std::any_of(rules.begin(), rules.end(), [&](const AccessRule& old) { return old.rule == rule; });
  if (!is_there) rules.push_back({std::move(rule), {origin}});
}

}  // namespace

std::string to_string(const AccessRule& rule) {
  return cat("'", policy::to_string(rule.rule), "' (", printable(policy::to_string(rule.origin)), ")");
}

bool is_usual_port(std::uint16_t port) {
  constexpr std::uint16_t kHttp = 80;
  constexpr std::uint16_t kHttps = 443;
  return port == kHttp || port == kHttps;
}

Result<AccessList> AccessList::from(const policy::Entries& allow, const policy::Entries& deny) {
  AccessList list;
  list.allow_ = AGENTCTL_TRY(read(allow, "allow", policy::parse_allow_rule));
  list.deny_ = AGENTCTL_TRY(read(deny, "deny", policy::parse_deny_rule));
  return list;
}

void AccessList::allow(policy::HostRule rule) { change(allow_, kLiveAllow, deny_, kLiveDeny, std::move(rule)); }
void AccessList::deny(policy::HostRule rule) { change(deny_, kLiveDeny, allow_, kLiveAllow, std::move(rule)); }

Verdict AccessList::judge(const policy::Host& host, std::uint16_t port) const {
  for (const AccessRule& rule : deny_) {
    if (policy::matches(rule.rule, host) && rule.rule.port.value_or(port) == port) {
      return {Verdict::Kind::denied, rule};
    }
  }
  Verdict verdict;
  for (const AccessRule& rule : allow_) {
    if (!policy::matches(rule.rule, host)) continue;
    if (rule.rule.port ? *rule.rule.port == port : is_usual_port(port)) return {Verdict::Kind::allowed, rule};
    if (!verdict.rule) verdict = {Verdict::Kind::other_port, rule};
  }
  return verdict;
}

bool AccessList::may_resolve(const policy::HostName& name) const {
  const policy::Host host(name);
  const auto fits = [&](const AccessRule& rule) { return policy::matches(rule.rule, host); };
  const auto denies = [&](const AccessRule& rule) { return !rule.rule.port && fits(rule); };
  return std::none_of(deny_.begin(), deny_.end(), denies) && std::any_of(allow_.begin(), allow_.end(), fits);
}

bool AccessList::opens(const policy::IpAddress& address, std::uint16_t port, bool exactly) const {
  return std::any_of(allow_.begin(), allow_.end(), [&](const AccessRule& rule) {
    const auto* prefix = std::get_if<policy::IpPrefix>(&rule.rule.hosts);
    return prefix != nullptr && prefix->contains(address) && (!exactly || prefix->is_single()) &&
           (rule.rule.port ? *rule.rule.port == port : is_usual_port(port));
  });
}

}  // namespace agentctl::egress
