// SPDX-License-Identifier: Apache-2.0
#include "egress/inner_network.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "egress/pasta_command.h"

namespace agentctl::egress {
namespace {

HostNetworks attached(std::initializer_list<const char*> addresses, unsigned length) {
  HostNetworks host;
  for (const char* text : addresses) host.links.push_back(policy::prefix_of(*policy::parse_ipv4(text), length));
  return host;
}

}  // namespace

TEST_SUITE("inner_network") {
  TEST_CASE("its IPv4 network is none to which the host is attached") {
    CHECK(to_string(choose_inner_network({}, true, false).v4->address) == "198.51.100.2");
    const InnerNetwork second = choose_inner_network(attached({"198.51.100.7"}, 24), true, false);
    CHECK(to_string(second.v4->address) == "203.0.113.2");
    CHECK(to_string(second.v4->gateway) == "203.0.113.1");
    CHECK_FALSE(choose_inner_network(attached({"198.51.100.7", "203.0.113.9", "192.0.2.2"}, 24), true, false).v4);
    CHECK_FALSE(choose_inner_network(attached({"192.0.0.0"}, 2), true, false).v4);
  }

  TEST_CASE("a family that the host does not have is left out") {
    CHECK_FALSE(choose_inner_network({}, true, false).v6);
    const InnerNetwork only = choose_inner_network({}, false, true);
    CHECK_FALSE(only.v4);
    CHECK(only.v6);
  }

  TEST_CASE("pasta is given the namespace, our addresses, and no port or loopback of the host") {
    const std::string both = join(pasta_command(choose_inner_network({}, true, true), 3), " ");
    CHECK(both ==
          "pasta --foreground --stderr --quiet --netns-only --netns /proc/self/fd/3 --config-net --ns-ifname nat0 "
          "--mac-addr "
          "02:61:67:65:6e:74 --no-map-gw --tcp-ports none --udp-ports none --tcp-ns none --udp-ns none --no-dhcp "
          "--no-dhcpv6 "
          "--no-ra --no-udp --address 198.51.100.2 --netmask 30 --gateway 198.51.100.1 --address fd61:6765:6e74::2 "
          "--gateway "
          "fd61:6765:6e74::1");
    CHECK(join(pasta_command(choose_inner_network({}, true, false), 3), " ")
              .ends_with("--gateway 198.51.100.1 --ipv4-only"));
    CHECK(join(pasta_command(choose_inner_network({}, false, true), 3), " ").find("--ipv6-only") != std::string::npos);
  }
}

}  // namespace agentctl::egress
