// SPDX-License-Identifier: Apache-2.0
#include "egress/dns_answer.h"

#include <array>

#include "egress/byte_cursor.h"
#include "egress/decision.h"

namespace agentctl::egress {
namespace {

using policy::IpAddress;

constexpr std::uint32_t kAnswerFlag = 0x8000;
constexpr std::uint32_t kRecursionDesired = 0x0100;
constexpr std::uint32_t kRecursionAvailable = 0x0080;
constexpr std::uint32_t kQuestionName = 0xc00c;  // the name at byte 12, by compression
constexpr std::uint32_t kEdnsSize = 1232;
constexpr std::uint32_t kExtendedError = 15;  // RFC 8914: the option, and the error "Blocked" in it
constexpr std::uint32_t kBlocked = 15;

void append_record(std::string& out, std::uint16_t type, const IpAddress& address) {
  append_number(out, kQuestionName, 2);
  append_number(out, type, 2);
  append_number(out, dns::kIn, 2);
  append_number(out, kDnsTtl, 4);
  append_number(out, static_cast<std::uint32_t>(address.bytes().size()), 2);
  for (const std::uint8_t byte : address.bytes()) out.push_back(static_cast<char>(byte));
}

void append_edns(std::string& out, bool is_blocked) {
  append_number(out, 0, 1);
  append_number(out, dns::kOpt, 2);
  append_number(out, kEdnsSize, 2);
  append_number(out, 0, 4);
  append_number(out, is_blocked ? 6 : 0, 2);
  if (!is_blocked) return;
  append_number(out, kExtendedError, 2);
  append_number(out, 2, 2);
  append_number(out, kBlocked, 2);
}

std::string build(const DnsQuery& query, DnsCode code, const std::optional<IpAddress>& address, bool is_blocked) {
  std::string out;
  append_number(out, query.id, 2);
  append_number(out,
                kAnswerFlag | (std::uint32_t{query.opcode} << 11) | (query.recursion_desired ? kRecursionDesired : 0) |
                    kRecursionAvailable | static_cast<std::uint32_t>(code),
                2);
  append_number(out, query.question.empty() ? 0 : 1, 2);
  append_number(out, address ? 1 : 0, 2);
  append_number(out, 0, 2);
  append_number(out, query.has_edns ? 1 : 0, 2);
  out += query.question;
  if (address) append_record(out, query.type, *address);
  if (query.has_edns) append_edns(out, is_blocked);
  return out;
}

std::optional<IpAddress> loopback(std::uint16_t type) {
  if (type == dns::kA) return policy::parse_ipv4("127.0.0.1");
  return type == dns::kAaaa ? policy::parse_ipv6("::1") : std::nullopt;
}

}  // namespace

DnsAnswer answer_dns(const AccessList& list, FakeAddresses& fakes, const DnsQuery& query) {
  if (query.fault != DnsCode::no_error) return {build(query, query.fault, {}, false), {}};
  const bool is_host =
      query.type == dns::kA || query.type == dns::kAaaa || query.type == dns::kHttps || query.type == dns::kSvcb;
  if (!is_host) {
    // Some libraries wait long for another answer after a refusal, and nobody misses the name of an address.
    const DnsCode code = query.type == dns::kPtr ? DnsCode::no_such_name : DnsCode::refused;
    return {build(query, code, {}, false), {}};
  }
  if (!query.name) return {build(query, DnsCode::no_such_name, {}, false), {}};
  if (is_localhost(*query.name)) return {build(query, DnsCode::no_error, loopback(query.type), false), {}};
  if (auto denial = decide_lookup(list, *query.name)) {
    return {build(query, DnsCode::no_such_name, {}, true), std::move(denial)};
  }
  if (query.type != dns::kA) return {build(query, DnsCode::no_error, {}, false), {}};
  const auto address = fakes.address_of(*query.name);
  return {build(query, address ? DnsCode::no_error : DnsCode::server_failure, address, false), {}};
}

}  // namespace agentctl::egress
