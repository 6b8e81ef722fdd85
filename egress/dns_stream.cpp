// SPDX-License-Identifier: Apache-2.0
#include "egress/dns_stream.h"

#include "egress/byte_cursor.h"
#include "egress/dns_query.h"

namespace agentctl::egress {

std::optional<std::string> DnsStream::next() {
  constexpr std::size_t kLength = 2;
  if (is_broken_ || bytes_.size() < kLength) return std::nullopt;
  ByteCursor cursor(bytes_);
  const std::uint16_t size = cursor.u16();
  is_broken_ = size == 0 || size > kLargestDnsQuery;
  if (is_broken_ || cursor.left() < size) return std::nullopt;
  std::string message(cursor.take(size));
  bytes_.erase(0, kLength + size);
  return message;
}

std::string framed_dns(std::string_view message) {
  std::string out;
  append_number(out, static_cast<std::uint32_t>(message.size()), 2);
  out += message;
  return out;
}

}  // namespace agentctl::egress
