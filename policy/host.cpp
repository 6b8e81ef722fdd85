// SPDX-License-Identifier: Apache-2.0
#include "policy/host.h"

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"

namespace agentctl::policy {
namespace {

Error refuse(std::string message) { return make_error(ErrorKind::policy, std::move(message)); }

}  // namespace

Result<Host> parse_host(std::string_view text) {
  if (text.starts_with('[')) {
    if (!text.ends_with(']')) return refuse("must close the bracket of its IPv6 address");
    const std::string_view inner = text.substr(1, text.size() - 2);
    if (inner.find('%') != std::string_view::npos) return refuse("must not have a zone: links are not told apart");
    const auto address = parse_ipv6(inner);
    if (!address) return refuse("must hold an IPv6 address between its brackets");
    return Host(*address);
  }
  if (const auto address = parse_ipv4(text)) return Host(*address);
  return Host(AGENTCTL_TRY(parse_host_name(text)));
}

Result<std::uint16_t> parse_port(std::string_view text) {
  constexpr unsigned kLargest = 65535;
  unsigned port = 0;
  const bool has_digits = !text.empty() && text.size() <= 5 && text[0] != '0' &&
                          std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (has_digits) {
    for (const char digit : text) port = port * 10 + static_cast<unsigned>(digit - '0');
  }
  if (port < 1 || port > kLargest) return refuse("must have a port between 1 and 65535, in plain digits");
  return static_cast<std::uint16_t>(port);
}

std::size_t find_port_colon(std::string_view text) {
  const std::size_t from = text.starts_with('[') ? std::min(text.find(']'), text.size()) : 0;
  return text.find(':', from);
}

Result<HostAndPort> parse_host_and_port(std::string_view text) {
  const std::size_t colon = find_port_colon(text);
  HostAndPort parsed{AGENTCTL_TRY(parse_host(text.substr(0, colon))), std::nullopt};
  if (colon != std::string_view::npos) parsed.port = AGENTCTL_TRY(parse_port(text.substr(colon + 1)));
  return parsed;
}

std::string to_string(const Host& host) {
  return std::visit(Overloaded{[](const HostName& name) { return name.text(); },
                               [](const IpAddress& address) {
                                 return address.is_v4() ? to_string(address) : cat("[", to_string(address), "]");
                               }},
                    host);
}

std::string to_string(const Endpoint& endpoint) { return cat(to_string(endpoint.host), ":", endpoint.port); }

}  // namespace agentctl::policy
