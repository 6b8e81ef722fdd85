// SPDX-License-Identifier: Apache-2.0
// The answers of the stub inside the sandbox. A name that a rule allows gets an address of the pool (fake_addresses.h),
// which leads to the door, and no real one; IPv6 and service records of it are there but empty. A name that none allows
// does not exist, at once, and nobody outside ever hears of it. Other types and classes are refused: they could carry
// data out, and nothing here needs them. "localhost" is the sandbox's own loopback (RFC 6761, 6.3). Pure but for the
// table of addresses.
#pragma once

#include <optional>
#include <string>

#include "egress/access_list.h"
#include "egress/denial.h"
#include "egress/dns_query.h"
#include "egress/fake_addresses.h"

namespace agentctl::egress {

struct DnsAnswer {
  std::string message;           // fits every UDP client: less than 512 bytes
  std::optional<Denial> denial;  // for the log, where a name was denied
};

[[nodiscard]] DnsAnswer answer_dns(const AccessList& list, FakeAddresses& fakes, const DnsQuery& query);

// Seconds that an answer may be kept inside.
inline constexpr std::uint32_t kDnsTtl = 60;

}  // namespace agentctl::egress
