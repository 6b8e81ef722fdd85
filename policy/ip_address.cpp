// SPDX-License-Identifier: Apache-2.0
#include "policy/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <climits>

#include "base/text.h"

namespace agentctl::policy {
namespace {

// inet_pton(3) takes exactly the notations that the header promises, but ends at a NUL.
template <std::size_t Size>
std::optional<std::array<std::uint8_t, Size>> read(int family, std::string_view text) {
  if (text.empty() || text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::array<std::uint8_t, Size> bytes{};
  if (inet_pton(family, std::string(text).c_str(), bytes.data()) != 1) return std::nullopt;
  return bytes;
}

}  // namespace

IpAddress IpAddress::v4(std::span<const std::uint8_t, 4> bytes) {
  IpAddress address;
  address.size_ = bytes.size();
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

IpAddress IpAddress::v6(std::span<const std::uint8_t, 16> bytes) {
  IpAddress address;
  address.size_ = bytes.size();
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

std::optional<IpAddress> parse_ipv4(std::string_view text) {
  const auto bytes = read<4>(AF_INET, text);
  return bytes ? std::optional(IpAddress::v4(*bytes)) : std::nullopt;
}

std::optional<IpAddress> parse_ipv6(std::string_view text) {
  const auto bytes = read<16>(AF_INET6, text);
  return bytes ? std::optional(IpAddress::v6(*bytes)) : std::nullopt;
}

std::string to_string(const IpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(address.is_v4() ? AF_INET : AF_INET6, address.bytes().data(), text.data(), text.size());
  return text.data();
}

bool IpPrefix::contains(const IpAddress& other) const {
  return other.is_v4() == address.is_v4() && prefix_of(other, length).address == address;
}

IpPrefix single(const IpAddress& address) {
  return {address, static_cast<unsigned>(address.bytes().size() * CHAR_BIT)};
}

IpPrefix prefix_of(const IpAddress& address, unsigned length) {
  std::array<std::uint8_t, 16> bytes{};
  unsigned left = length;
  for (std::size_t at = 0; at < address.bytes().size() && left > 0; ++at) {
    const unsigned bits = std::min<unsigned>(left, CHAR_BIT);
    bytes.at(at) = static_cast<std::uint8_t>(address.bytes()[at] & (0xff00U >> bits));
    left -= bits;
  }
  const std::span<const std::uint8_t, 16> all(bytes);
  return {address.is_v4() ? IpAddress::v4(all.first<4>()) : IpAddress::v6(all), length};
}

std::string to_string(const IpPrefix& prefix) {
  return prefix.is_single() ? to_string(prefix.address) : cat(to_string(prefix.address), "/", prefix.length);
}

}  // namespace agentctl::policy
