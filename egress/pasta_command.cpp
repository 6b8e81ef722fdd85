// SPDX-License-Identifier: Apache-2.0
#include "egress/pasta_command.h"

#include <utility>

#include "base/text.h"

namespace agentctl::egress {
namespace {

std::string hardware_address(const std::array<std::uint8_t, 6>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    if (!text.empty()) text += ':';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xf];
  }
  return text;
}

}  // namespace

std::vector<std::string> pasta_command(const InnerNetwork& inner, int namespace_fd) {
  std::vector<std::string> words = {"pasta", "--foreground", "--stderr", "--quiet"};
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  add({"--netns-only", "--netns", cat("/proc/self/fd/", namespace_fd)});
  add({"--config-net", "--ns-ifname", kInnerInterface, "--mac-addr", hardware_address(kGatewayMac)});
  // Nothing of the host: not its loopback behind the gateway's address, no port of its own opened or asked for.
  add({"--no-map-gw", "--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns", "none"});
  add({"--no-dhcp", "--no-dhcpv6", "--no-ra"});
  // passt of Debian 12 opens each port from which the session sends a packet on every address of the host, takes what
  // comes to it from there, and may take a service's own packets from it.
  add({"--no-udp"});
  if (inner.v4) {
    add({"--address", to_string(inner.v4->address), "--netmask", std::to_string(inner.v4->length)});
    add({"--gateway", to_string(inner.v4->gateway)});
  } else {
    add({"--ipv6-only"});
  }
  if (inner.v6) {
    add({"--address", to_string(inner.v6->address), "--gateway", to_string(inner.v6->gateway)});
  } else {
    add({"--ipv4-only"});
  }
  return words;
}

}  // namespace agentctl::egress
