// SPDX-License-Identifier: Apache-2.0
#include "egress/decision.h"

#include <algorithm>

#include "base/text.h"
#include "policy/address_class.h"

namespace agentctl::egress {
namespace {

using policy::Endpoint;
using policy::Host;
using policy::HostName;
using policy::IpAddress;
using policy::Openness;

// As a rule would have to say it: the usual ports need no mention.
std::string as_rule(const Host& host, std::uint16_t port) {
  return is_usual_port(port) ? policy::to_string(host) : policy::to_string(Endpoint{host, port});
}

bool can_be_a_rule(const std::string& rule) { return policy::parse_allow_rule(rule).has_value(); }

Denial deny(Reason reason, const Endpoint& asked, std::string detail) {
  return {.reason = reason, .asked = policy::to_string(asked), .rule = {}, .detail = std::move(detail), .allow = {}};
}

Denial deny(const Verdict& verdict, const Endpoint& asked) {
  Denial denial = deny(Reason::no_rule, asked, "no rule allows it");
  if (verdict.rule) denial.rule = to_string(*verdict.rule);
  if (verdict.kind == Verdict::Kind::denied) {
    denial.reason = Reason::deny_rule;
    denial.detail = cat("the deny rule ", denial.rule, " names it");
    return denial;
  }
  if (verdict.kind == Verdict::Kind::other_port) {
    denial.reason = Reason::other_port;
    denial.detail = cat("the rule ", denial.rule, " is for other ports");
  }
  const std::string rule = as_rule(asked.host, asked.port);
  if (can_be_a_rule(rule)) denial.allow = rule;
  return denial;
}

bool is_on_link(const HostNetworks& networks, const IpAddress& address) {
  return std::any_of(networks.links.begin(), networks.links.end(),
                     [&](const policy::IpPrefix& link) { return link.contains(address); });
}

Openness openness_here(const HostNetworks& networks, const IpAddress& address) {
  const Openness general = policy::openness(address);
  if (general == Openness::never) return general;
  const bool is_own = std::find(networks.own.begin(), networks.own.end(), address) != networks.own.end();
  if (is_own) return Openness::exactly;
  return general == Openness::open && is_on_link(networks, address) ? Openness::ranges : general;
}

std::string describe_here(const HostNetworks& networks, const IpAddress& address) {
  const policy::AddressClass kind = policy::classify(address);
  if (std::find(networks.own.begin(), networks.own.end(), address) != networks.own.end()) {
    return "an address of this machine";
  }
  const bool is_near = kind == policy::AddressClass::global && is_on_link(networks, address);
  return is_near ? "an address of the local network" : std::string(policy::describe(kind));
}

bool is_open(const AccessList& list, const HostNetworks& networks, const IpAddress& address, std::uint16_t port) {
  switch (openness_here(networks, address)) {
    case Openness::open:
      return true;
    case Openness::ranges:
      return list.opens(address, port, false);
    case Openness::exactly:
      return list.opens(address, port, true);
    case Openness::never:
      return false;
  }
  return false;
}

}  // namespace

Carries carried_on(std::uint16_t port) {
  constexpr std::uint16_t kHttp = 80;
  if (port == kHttp) return Carries::http;
  return is_usual_port(port) ? Carries::tls : Carries::anything;
}

std::variant<Permit, Denial> decide(const AccessList& list, const FakeAddresses& fakes, const Endpoint& asked) {
  Endpoint endpoint = asked;
  if (const auto* address = std::get_if<IpAddress>(&asked.host); address != nullptr && fakes.covers(*address)) {
    const auto name = fakes.name_of(*address);
    if (!name) return deny(Reason::unknown_address, asked, "the address stands for no name; look the name up again");
    endpoint.host = *name;
  }
  Verdict verdict = list.judge(endpoint.host, endpoint.port);
  if (verdict.kind != Verdict::Kind::allowed) return deny(verdict, endpoint);
  return Permit{endpoint, std::move(*verdict.rule), carried_on(endpoint.port)};
}

std::optional<Denial> decide_lookup(const AccessList& list, const HostName& name) {
  if (list.may_resolve(name)) return std::nullopt;
  constexpr std::uint16_t kHttps = 443;
  Denial denial = deny(list.judge(Host(name), kHttps), Endpoint{Host(name), kHttps});
  denial.asked = name.text();
  return denial;
}

std::variant<std::vector<IpAddress>, Denial> choose_targets(const AccessList& list, const HostNetworks& networks,
                                                            const Permit& permit,
                                                            const std::vector<IpAddress>& resolved) {
  const Endpoint& endpoint = permit.endpoint;
  if (resolved.empty()) return deny(Reason::unresolved, endpoint, "the name has no address");
  std::vector<IpAddress> targets;
  std::optional<Denial> denial;
  for (const IpAddress& address : resolved) {
    const Verdict verdict = list.judge(Host(address), endpoint.port);
    if (verdict.kind == Verdict::Kind::denied) {
      if (!denial) denial = deny(verdict, endpoint);
    } else if (is_open(list, networks, address, endpoint.port)) {
      if (targets.size() < kMostTargets) targets.push_back(address);
    } else if (!denial) {
      denial = deny(Reason::private_address, endpoint,
                    cat("it leads to ", policy::to_string(address), ", ", describe_here(networks, address)));
      const std::string rule = as_rule(Host(address), endpoint.port);
      if (can_be_a_rule(rule)) denial->allow = rule;
    }
  }
  if (targets.empty()) return *denial;
  return targets;
}

std::optional<Denial> check_named_host(const AccessList& list, const Permit& permit, const Endpoint& named,
                                       Reason reason) {
  const Endpoint& endpoint = permit.endpoint;
  if (named == endpoint) return std::nullopt;
  const bool is_bare = std::holds_alternative<IpAddress>(endpoint.host);
  if (is_bare && std::holds_alternative<HostName>(named.host) && named.port == endpoint.port) {
    const Verdict verdict = list.judge(named.host, named.port);
    if (verdict.kind == Verdict::Kind::allowed) return std::nullopt;
    return deny(verdict, named);
  }
  const std::string_view by = reason == Reason::server_name ? "TLS" : "the request";
  return deny(reason, endpoint, cat(by, " names another host, '", policy::to_string(named), "'"));
}

std::optional<Denial> check_unnamed_tls(const Permit& permit) {
  const bool is_bare = std::holds_alternative<IpAddress>(permit.endpoint.host);
  if (is_bare || permit.carries == Carries::anything) return std::nullopt;
  return deny(Reason::server_name, permit.endpoint, "TLS names no host (no server name is sent)");
}

std::optional<Denial> check_plain_http(const Permit& permit) {
  if (permit.carries != Carries::tls) return std::nullopt;
  return deny(Reason::not_tls, permit.endpoint, "HTTP without TLS is not sent to port 443");
}

}  // namespace agentctl::egress
