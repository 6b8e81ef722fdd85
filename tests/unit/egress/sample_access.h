// SPDX-License-Identifier: Apache-2.0
// Access lists and endpoints as tests write them: in text.
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "egress/access_list.h"

namespace agentctl::egress {

// Each entry has the next line of "policy.toml" as its origin.
inline policy::Entries entries(std::initializer_list<const char*> texts) {
  policy::Entries made;
  int line = 0;
  for (const char* text : texts) made.push_back({text, {"policy.toml", ++line, 1}});
  return made;
}

inline AccessList access(std::initializer_list<const char*> allow, std::initializer_list<const char*> deny = {}) {
  auto list = AccessList::from(entries(allow), entries(deny));
  REQUIRE(list.has_value());
  return std::move(*list);
}

inline policy::Endpoint endpoint(std::string_view text) {
  auto parsed = policy::parse_host_and_port(text);
  REQUIRE(parsed.has_value());
  REQUIRE(parsed->port.has_value());
  return {parsed->host, *parsed->port};
}

inline policy::IpAddress address(std::string_view text) {
  const auto parsed = text.find(':') == std::string_view::npos ? policy::parse_ipv4(text) : policy::parse_ipv6(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

}  // namespace agentctl::egress
