// SPDX-License-Identifier: Apache-2.0
#include "egress/host_network.h"

#include <doctest/doctest.h>

namespace agentctl::egress {

TEST_SUITE("host_network") {
  TEST_CASE("a default route is one to everywhere") {
    const std::string head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
    CHECK(has_default_route_v4(head + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"));
    CHECK_FALSE(has_default_route_v4(head + "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"));
    // Half of everywhere, as some VPNs have it, is none.
    CHECK_FALSE(has_default_route_v4(head + "tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0\n"));
    CHECK_FALSE(has_default_route_v4(""));
    CHECK_FALSE(has_default_route_v4(head));
  }

  TEST_CASE("the IPv6 route that refuses everything is none") {
    const std::string zero(32, '0');
    const std::string rest = " 00000400 00000001 00000000 00000003 ";
    const std::string gateway = "fe800000000000000000000000000001";
    CHECK(has_default_route_v6(zero + " 00 " + zero + " 00 " + gateway + rest + "    eth0\n"));
    CHECK_FALSE(has_default_route_v6(zero + " 00 " + zero + " 00 " + zero + rest + "      lo\n"));
    CHECK_FALSE(has_default_route_v6("fd00" + zero.substr(4) + " 40 " + zero + " 00 " + zero + rest + "    eth0\n"));
  }

  TEST_CASE("this machine's own networks are read") {
    const auto network = read_host_network();
    REQUIRE(network);
    for (const policy::IpPrefix& link : network->near.links) CHECK(link.length > 0);
  }
}

}  // namespace agentctl::egress
