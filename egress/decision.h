// SPDX-License-Identifier: Apache-2.0
// The door's decision, step by step, each a pure function: decide() on the host that was asked for, before anything is
// looked up; choose_targets() on what the name resolved to, after which exactly these addresses are connected to and
// nothing is resolved again; check_named_host() on what the bytes inside then claim to be for. A name that no rule
// allows is never resolved. What it does not protect against: what happens inside TLS, where a host that is allowed may
// serve others.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "egress/access_list.h"
#include "egress/denial.h"
#include "egress/fake_addresses.h"
#include "egress/host_networks.h"
#include "policy/host.h"

namespace agentctl::egress {

// What may be in a connection, by the port: elsewhere than on 80 and 443 a rule was written for that very port.
enum class Carries { http, tls, anything };
[[nodiscard]] Carries carried_on(std::uint16_t port);

struct Permit {
  policy::Endpoint endpoint;  // a name where a name is known, also if one of our stub's addresses was asked for
  AccessRule rule;
  Carries carries = Carries::tls;
};

[[nodiscard]] std::variant<Permit, Denial> decide(const AccessList& list, const FakeAddresses& fakes,
                                                  const policy::Endpoint& asked);

// Whether a name may be looked up, whatever the port will be.
[[nodiscard]] std::optional<Denial> decide_lookup(const AccessList& list, const policy::HostName& name);

inline constexpr std::size_t kMostTargets = 16;

// Those of `resolved` that may be connected to, in their order, no more than kMostTargets; for an address that was
// asked for itself, `resolved` is that address.
[[nodiscard]] std::variant<std::vector<policy::IpAddress>, Denial> choose_targets(
    const AccessList& list, const HostNetworks& networks, const Permit& permit,
    const std::vector<policy::IpAddress>& resolved);

// The host that the connection itself names: TLS's server name (with the port that was asked for), HTTP's Host. It must
// be the one that was permitted; behind a bare address it may be any that a rule allows on the same port. `reason` says
// what named it.
[[nodiscard]] std::optional<Denial> check_named_host(const AccessList& list, const Permit& permit,
                                                     const policy::Endpoint& named, Reason reason);
// TLS that names no host: fine behind a bare address, and where a rule for another port than 80 and 443 opened it.
[[nodiscard]] std::optional<Denial> check_unnamed_tls(const Permit& permit);
// HTTP without TLS goes to port 80, and to a port that a rule names.
[[nodiscard]] std::optional<Denial> check_plain_http(const Permit& permit);

}  // namespace agentctl::egress
