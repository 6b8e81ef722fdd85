// SPDX-License-Identifier: Apache-2.0
// DnsQuery: a question to the stub inside the sandbox (RFC 1035, RFC 6891). One question a message; names come without
// compression, which no query needs, so there is nothing to loop on. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/host_name.h"

namespace agentctl::egress {

enum class DnsCode : std::uint8_t {  // RFC 1035, 4.1.1
  no_error = 0,
  format_error = 1,
  server_failure = 2,
  no_such_name = 3,
  not_implemented = 4,
  refused = 5,
};

namespace dns {
inline constexpr std::uint16_t kA = 1;
inline constexpr std::uint16_t kPtr = 12;
inline constexpr std::uint16_t kAaaa = 28;
inline constexpr std::uint16_t kOpt = 41;
inline constexpr std::uint16_t kSvcb = 64;
inline constexpr std::uint16_t kHttps = 65;
inline constexpr std::uint16_t kIn = 1;  // the class of the internet
}  // namespace dns

inline constexpr std::size_t kLargestDnsQuery = 512;

struct DnsQuery {
  std::uint16_t id = 0;
  std::uint8_t opcode = 0;
  bool recursion_desired = false;
  bool has_edns = false;
  std::string question;  // name, type and class as they came, to be repeated; empty where there was none to read
  std::uint16_t type = 0;
  std::optional<policy::HostName> name;  // nothing: it is no host's
  DnsCode fault = DnsCode::no_error;     // what to answer where the rest is not to be trusted
};

// Nothing when no answer is due: not even a header, or itself an answer.
[[nodiscard]] std::optional<DnsQuery> read_dns_query(std::string_view message);

}  // namespace agentctl::egress
