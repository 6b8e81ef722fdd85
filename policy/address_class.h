// SPDX-License-Identifier: Apache-2.0
// AddressClass: what an address is for, after IANA's registries of special-purpose addresses (RFC 6890 and its
// followers) and where clouds keep a machine's credentials. Pure. An IPv6 address that carries an IPv4 address (mapped,
// NAT64, 6to4, Teredo, ISATAP, compatible) is what the carried address is, since a gateway would bring it there; where
// that one is public it is `translated`, but for NAT64's own prefix, by which a network without IPv4 reaches the public
// internet. The host's own addresses and its neighbours' are not known here.
#pragma once

#include <string_view>

#include "policy/ip_address.h"

namespace agentctl::policy {

enum class AddressClass {
  global,         // the public internet
  unspecified,    // 0.0.0.0/8, ::
  loopback,       // 127.0.0.0/8, ::1
  private_use,    // 10/8, 172.16/12, 192.168/16, fc00::/7, fec0::/10
  shared,         // 100.64.0.0/10: carriers' NAT, VPNs
  link_local,     // 169.254.0.0/16, fe80::/10
  metadata,       // 169.254.169.254 and its like: a cloud machine's credentials
  documentation,  // 192.0.2.0/24, 2001:db8::/32, …
  multicast,      // 224.0.0.0/4, ff00::/8
  translated,     // a public IPv4 address inside an IPv6 address
  reserved,       // everything else that is not global unicast, broadcast too
};

[[nodiscard]] AddressClass classify(const IpAddress& address);
[[nodiscard]] std::string_view describe(AddressClass kind);  // "a private address", for messages

// How far a rule of the user's can open a class.
enum class Openness {
  open,     // public: a name suffices
  ranges,   // a rule that names the address or a range around it
  exactly,  // a rule that names this very address
  never,
};
[[nodiscard]] Openness openness(const IpAddress& address);  // of an IPv4 address inside an IPv6 address: never, or open

}  // namespace agentctl::policy
