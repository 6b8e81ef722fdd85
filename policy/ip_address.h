// SPDX-License-Identifier: Apache-2.0
// IpAddress: an IPv4 or IPv6 address as a value, and IpPrefix: a range of them. Pure. One notation each is read: four
// decimal numbers without leading zeros, and RFC 4291's without a zone; the other forms that inet_aton(3) takes (127.1,
// 0177.0.0.1, 0x7f000001, 2130706433) are no addresses here, so that two readers of one text cannot see two hosts. IPv4
// in IPv6
// (::ffff:127.0.0.1) stays what was written: address_class.h looks inside.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace agentctl::policy {

class IpAddress {
 public:
  [[nodiscard]] static IpAddress v4(std::span<const std::uint8_t, 4> bytes);
  [[nodiscard]] static IpAddress v6(std::span<const std::uint8_t, 16> bytes);

  [[nodiscard]] bool is_v4() const { return size_ == 4; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size_}; }  // network byte order

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  IpAddress() = default;
  std::size_t size_ = 0;
  std::array<std::uint8_t, 16> bytes_{};  // those past size_ are 0
};

[[nodiscard]] std::optional<IpAddress> parse_ipv4(std::string_view text);  // "192.0.2.7"
[[nodiscard]] std::optional<IpAddress> parse_ipv6(std::string_view text);  // "2001:db8::7", without brackets
[[nodiscard]] std::string to_string(const IpAddress& address);             // RFC 5952, without brackets

// The addresses that agree with `address` in the first `length` bits; the other bits of `address` are 0.
struct IpPrefix {
  IpAddress address;
  unsigned length = 0;

  [[nodiscard]] bool contains(const IpAddress& other) const;  // never one of the other family
  [[nodiscard]] bool contains(const IpPrefix& other) const { return length <= other.length && contains(other.address); }
  [[nodiscard]] bool is_single() const { return length == address.bytes().size() * 8; }
  friend bool operator==(const IpPrefix&, const IpPrefix&) = default;
};

[[nodiscard]] IpPrefix single(const IpAddress& address);
// `length` at most 32 or 128; the bits behind it are made 0.
[[nodiscard]] IpPrefix prefix_of(const IpAddress& address, unsigned length);
[[nodiscard]] std::string to_string(const IpPrefix& prefix);  // "10.0.0.0/8"; a single address without its length

}  // namespace agentctl::policy
