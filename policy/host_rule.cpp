// SPDX-License-Identifier: Apache-2.0
#include "policy/host_rule.h"

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"
#include "policy/address_class.h"
#include "policy/entry.h"
#include "policy/host_sets.h"
#include "policy/shared_suffix.h"

namespace agentctl::policy {
namespace {

constexpr std::string_view kBelow = "*.";
constexpr std::string_view kBoth = "**.";

Error refuse(std::string message) { return make_error(ErrorKind::policy, std::move(message)); }

Result<IpPrefix> parse_range(std::string_view address, std::string_view bits, bool is_v4) {
  const auto parsed = is_v4 ? parse_ipv4(address) : parse_ipv6(address);
  if (!parsed) return refuse("must hold an address before '/': a range is written '10.0.0.0/8' or '[fd00::/8]'");
  const unsigned most = single(*parsed).length;
  const bool is_number = !bits.empty() && bits.size() <= 3 && (bits == "0" || bits[0] != '0') &&
                         std::all_of(bits.begin(), bits.end(), [](char c) { return c >= '0' && c <= '9'; });
  unsigned length = 0;
  if (is_number) {
    for (const char digit : bits) length = length * 10 + static_cast<unsigned>(digit - '0');
  }
  if (!is_number || length > most) return refuse(cat("must have between 0 and ", most, " bits after '/'"));
  const IpPrefix prefix = prefix_of(*parsed, length);
  if (prefix.address != *parsed) return refuse(cat("must begin where its range begins: '", to_string(prefix), "'"));
  return prefix;
}

Result<std::variant<NamePattern, IpPrefix>> parse_hosts(std::string_view text) {
  using Hosts = std::variant<NamePattern, IpPrefix>;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    if (text.starts_with('[') && text.ends_with(']')) {
      return Hosts(
          AGENTCTL_TRY(parse_range(text.substr(1, slash - 1), text.substr(slash + 1, text.size() - slash - 2), false)));
    }
    const std::string_view before = text.substr(0, slash);
    if (!ends_in_number(before)) return refuse("must not hold a path: a rule is for a host as a whole");
    return Hosts(AGENTCTL_TRY(parse_range(before, text.substr(slash + 1), true)));
  }
  NameReach reach = NameReach::exact;
  if (text.starts_with(kBoth)) {
    reach = NameReach::both;
    text.remove_prefix(kBoth.size());
  } else if (text.starts_with(kBelow)) {
    reach = NameReach::below;
    text.remove_prefix(kBelow.size());
  }
  if (text.find('*') != std::string_view::npos) {
    return refuse(
        "must have '*' only as its whole first label: '*.example.com', or '**.example.com' with the name itself");
  }
  Host host = AGENTCTL_TRY(parse_host(text));
  if (auto* name = std::get_if<HostName>(&host)) return Hosts(NamePattern{std::move(*name), reach});
  if (reach != NameReach::exact) return refuse("must not have '*' before an address: a range is written '10.0.0.0/8'");
  return Hosts(single(std::get<IpAddress>(host)));
}

Result<HostRule> parse_rule(std::string_view text) {
  if (text.empty()) return refuse("must not be empty");
  if (text.find("://") != std::string_view::npos)
    return refuse("must be a host without scheme and path: 'example.com'");
  const auto colons = std::count(text.begin(), text.end(), ':');
  if (!text.starts_with('[') && colons > 1) return refuse("must have an IPv6 address in brackets: '[2001:db8::7]'");
  const std::size_t colon = find_port_colon(text);
  HostRule rule{AGENTCTL_TRY(parse_hosts(text.substr(0, colon))), std::nullopt};
  if (colon != std::string_view::npos) rule.port = AGENTCTL_TRY(parse_port(text.substr(colon + 1)));
  return rule;
}

Result<void> check_opens_some(const NamePattern& pattern) {
  if (is_localhost(pattern.name))
    return refuse("must not be the loopback: a service of this machine is opened by 'host-ports'");
  if (pattern.reach != NameReach::exact && pattern.name.has_one_label()) {
    return refuse("must not allow every host below a top-level domain");
  }
  return {};
}

Result<void> check_opens_some(const IpPrefix& prefix) {
  if (prefix.length == 0) return refuse("must not allow every address");
  const AddressClass kind = classify(prefix.address);
  if (kind == AddressClass::loopback) {
    return refuse("must not be the loopback: a service of this machine is opened by 'host-ports'");
  }
  switch (openness(prefix.address)) {
    case Openness::open:
    case Openness::ranges:
      return {};
    case Openness::exactly:
      if (prefix.is_single()) return {};
      return refuse(cat("must name a single address, for a range opens none here: ", describe(kind)));
    case Openness::never:
      return refuse(cat("must not be ", describe(kind)));
  }
  return {};
}

std::string remark_on(const NamePattern& pattern) {
  if (pattern.reach == NameReach::exact) return {};
  const std::string hosts = cat("every host below '", pattern.name.text(), "'");
  return is_shared_suffix(pattern.name) ? hosts + ", where anybody can have one" : hosts;
}

std::string remark_on(const IpPrefix& prefix) {
  const AddressClass kind = classify(prefix.address);
  const bool is_public = kind == AddressClass::global;
  if (prefix.is_single()) return is_public ? std::string() : cat("'", to_string(prefix), "', ", describe(kind));
  return cat("every address in '", to_string(prefix), "'", is_public ? "" : cat(", ", describe(kind)));
}

Result<void> without_value(const Result<HostRule>& rule) {
  if (!rule) return rule.error();
  return {};
}

}  // namespace

bool matches(const NamePattern& pattern, const HostName& name) {
  const bool is_it = pattern.reach != NameReach::below && name == pattern.name;
  return is_it || (pattern.reach != NameReach::exact && name.is_below(pattern.name));
}

bool matches(const HostRule& rule, const Host& host) {
  if (const auto* pattern = std::get_if<NamePattern>(&rule.hosts)) {
    const auto* name = std::get_if<HostName>(&host);
    return name != nullptr && matches(*pattern, *name);
  }
  const auto* address = std::get_if<IpAddress>(&host);
  return address != nullptr && std::get<IpPrefix>(rule.hosts).contains(*address);
}

Result<HostRule> parse_allow_rule(std::string_view text) {
  if (text == "*" || text.starts_with("*:")) {
    return refuse("must not be every host: mode \"nat\" opens the public internet");
  }
  HostRule rule = AGENTCTL_TRY(parse_rule(text));
  AGENTCTL_TRY_VOID(std::visit([](const auto& hosts) { return check_opens_some(hosts); }, rule.hosts));
  return rule;
}

Result<HostRule> parse_deny_rule(std::string_view text) {
  if (text == "*" || text.starts_with("*:")) return refuse("must not be every host: mode \"none\" closes the network");
  return parse_rule(text);
}

namespace {

Result<void> check_host_set(std::string_view entry) {
  if (is_known_host_set(entry)) return {};
  return refuse(cat("names no set of hosts; there are ", known_host_sets()));
}

}  // namespace

Result<void> check_allow_entry(std::string_view entry) {
  if (is_host_set(entry)) return check_host_set(entry);
  return entry == kNoneBefore ? Result<void>{} : without_value(parse_allow_rule(without_mark(entry)));
}
Result<void> check_deny_entry(std::string_view entry) {
  if (is_host_set(entry)) return check_host_set(entry);
  return entry == kNoneBefore ? Result<void>{} : without_value(parse_deny_rule(without_mark(entry)));
}

std::string to_string(const HostRule& rule) {
  std::string text = std::visit(Overloaded{[](const NamePattern& pattern) {
                                             const std::string_view mark = pattern.reach == NameReach::below  ? kBelow
                                                                           : pattern.reach == NameReach::both ? kBoth
                                                                                                              : "";
                                             return cat(mark, pattern.name.text());
                                           },
                                           [](const IpPrefix& prefix) {
                                             const std::string range = to_string(prefix);
                                             return prefix.address.is_v4() ? range : cat("[", range, "]");
                                           }},
                                rule.hosts);
  if (rule.port) text += cat(":", *rule.port);
  return text;
}

std::string remark(const HostRule& rule) {
  return std::visit([](const auto& hosts) { return remark_on(hosts); }, rule.hosts);
}

}  // namespace agentctl::policy
