// SPDX-License-Identifier: Apache-2.0
#include "egress/dns_query.h"

#include <algorithm>

#include "egress/byte_cursor.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kLongestName = 255;  // with the lengths of the labels
constexpr std::uint16_t kAnswerFlag = 0x8000;
constexpr std::uint16_t kRecursionDesired = 0x0100;

struct Name {
  std::string text;      // with dots between the labels
  bool is_plain = true;  // no label holds a dot of its own
};

// Labels until the empty one. A length of 64 and more is a pointer (compression) or a kind that never came to be.
std::optional<Name> read_name(ByteCursor& cursor) {
  Name name;
  std::size_t size = 0;
  while (true) {
    const std::uint8_t length = cursor.u8();
    size += 1 + std::size_t{length};
    if (cursor.has_failed() || length > policy::kLongestLabel || size > kLongestName) return std::nullopt;
    if (length == 0) return name;
    const std::string_view label = cursor.take(length);
    if (cursor.has_failed()) return std::nullopt;
    if (label.find('.') != std::string_view::npos) name.is_plain = false;
    if (!name.text.empty()) name.text += '.';
    name.text += label;
  }
}

// The one record that may stand behind the question: EDNS, version 0.
bool read_edns(ByteCursor& cursor) {
  const std::uint8_t root = cursor.u8();
  const std::uint16_t type = cursor.u16();
  (void)cursor.u16();  // how large an answer may be: ours are smaller than what everybody takes
  const std::uint32_t flags = cursor.u32();
  (void)cursor.vector(2);
  return !cursor.has_failed() && root == 0 && type == dns::kOpt && ((flags >> 16) & 0xff) == 0;
}

DnsCode read_sections(std::string_view message, ByteCursor& cursor, DnsQuery& query) {
  const std::uint16_t questions = cursor.u16();
  const std::uint16_t answers = cursor.u16();
  const std::uint16_t authorities = cursor.u16();
  const std::uint16_t additional = cursor.u16();
  if (query.opcode != 0) return DnsCode::not_implemented;
  if (message.size() > kLargestDnsQuery || questions != 1 || answers != 0 || authorities != 0 || additional > 1) {
    return DnsCode::format_error;
  }
  const std::size_t start = message.size() - cursor.left();
  const auto name = read_name(cursor);
  query.type = cursor.u16();
  const std::uint16_t kind = cursor.u16();
  if (!name || cursor.has_failed()) return DnsCode::format_error;
  query.question = message.substr(start, message.size() - cursor.left() - start);
  if (additional == 1) query.has_edns = read_edns(cursor);
  if (query.has_edns != (additional == 1) || cursor.has_failed() || !cursor.at_end()) return DnsCode::format_error;
  if (kind != dns::kIn) return DnsCode::refused;
  if (name->is_plain) {
    if (auto host = policy::parse_host_name(name->text)) query.name = std::move(*host);
  }
  return DnsCode::no_error;
}

}  // namespace

std::optional<DnsQuery> read_dns_query(std::string_view message) {
  ByteCursor cursor(message);
  DnsQuery query;
  query.id = cursor.u16();
  const std::uint16_t flags = cursor.u16();
  constexpr std::size_t kCounts = 8;
  if (cursor.has_failed() || cursor.left() < kCounts || (flags & kAnswerFlag) != 0) return std::nullopt;
  query.opcode = static_cast<std::uint8_t>((flags >> 11) & 0xf);
  query.recursion_desired = (flags & kRecursionDesired) != 0;
  query.fault = read_sections(message, cursor, query);
  return query;
}

}  // namespace agentctl::egress
