// SPDX-License-Identifier: Apache-2.0
#include "policy/address_class.h"

#include <array>
#include <optional>

namespace agentctl::policy {
namespace {

using V4 = std::array<std::uint8_t, 4>;
using V6 = std::array<std::uint16_t, 8>;

using enum AddressClass;

struct Range4 {
  V4 network;
  unsigned length;
  AddressClass kind;
};

// The first that fits counts.
constexpr Range4 kRanges4[] = {
    {{169, 254, 169, 254}, 32, metadata},  // most clouds
    {{169, 254, 170, 2}, 32, metadata},    // AWS, for containers
    {{169, 254, 170, 23}, 32, metadata},   // AWS, for pods
    {{169, 254, 0, 23}, 32, metadata},     // Tencent
    {{168, 63, 129, 16}, 32, metadata},    // Azure
    {{100, 100, 100, 200}, 32, metadata},  // Alibaba
    {{192, 0, 0, 192}, 32, metadata},      // Oracle
    {{0, 0, 0, 0}, 8, unspecified},        // RFC 791
    {{10, 0, 0, 0}, 8, private_use},       // RFC 1918
    {{100, 64, 0, 0}, 10, shared},         // RFC 6598
    {{127, 0, 0, 0}, 8, loopback},         // RFC 1122
    {{169, 254, 0, 0}, 16, link_local},    // RFC 3927
    {{172, 16, 0, 0}, 12, private_use},    // RFC 1918
    {{192, 0, 0, 0}, 24, reserved},        // RFC 6890
    {{192, 0, 2, 0}, 24, documentation},   // RFC 5737
    {{192, 88, 99, 0}, 24, reserved},      // RFC 7526: 6to4 relays
    {{192, 168, 0, 0}, 16, private_use},   // RFC 1918
    {{198, 18, 0, 0}, 15, reserved},       // RFC 2544: benchmarks
    {{198, 51, 100, 0}, 24, documentation}, {{203, 0, 113, 0}, 24, documentation},
    {{224, 0, 0, 0}, 4, multicast},  // RFC 5771
    {{240, 0, 0, 0}, 4, reserved},   // RFC 1112, and the broadcast address
};

struct Range6 {
  V6 network;  // in words, as it is written
  unsigned length;
  AddressClass kind;
};

constexpr Range6 kRanges6[] = {
    {{0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254}, 128, metadata},       // AWS
    {{0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23}, 128, metadata},        // AWS, for pods
    {{0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254}, 128, metadata},        // Google
    {{0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe}, 128, metadata},  // Oracle
    {{0, 0, 0, 0, 0, 0, 0, 0}, 128, unspecified},
    {{0, 0, 0, 0, 0, 0, 0, 1}, 128, loopback},
    {{0xfc00, 0, 0, 0, 0, 0, 0, 0}, 7, private_use},         // RFC 4193
    {{0xfe80, 0, 0, 0, 0, 0, 0, 0}, 10, link_local},         // RFC 4291
    {{0xfec0, 0, 0, 0, 0, 0, 0, 0}, 10, private_use},        // RFC 3879
    {{0xff00, 0, 0, 0, 0, 0, 0, 0}, 8, multicast},           // RFC 4291
    {{0x2001, 0xdb8, 0, 0, 0, 0, 0, 0}, 32, documentation},  // RFC 3849
    {{0x3fff, 0, 0, 0, 0, 0, 0, 0}, 20, documentation},      // RFC 9637
    {{0x2001, 0, 0, 0, 0, 0, 0, 0}, 23, reserved},           // RFC 2928
    {{0x2000, 0, 0, 0, 0, 0, 0, 0}, 3, global},              // RFC 4291; the rest of the space is given to nobody
};

// Where an IPv4 address stands in the IPv6 addresses of a range; `inverted` as Teredo keeps it.
struct Carrier {
  V6 network;
  unsigned length;
  unsigned at;
  bool inverted = false;
  bool reaches_internet = false;
};

constexpr Carrier kCarriers[] = {
    {{0, 0, 0, 0, 0, 0xffff, 0, 0}, 96, 12},  // mapped
    {{0, 0, 0, 0, 0xffff, 0, 0, 0}, 96, 12},  // translated (SIIT)
    {.network = {0x64, 0xff9b, 0, 0, 0, 0, 0, 0}, .length = 96, .at = 12, .reaches_internet = true},  // NAT64
    {{0x64, 0xff9b, 1, 0, 0, 0, 0, 0}, 48, 12},     // NAT64 of a network's own, where the prefix is a /96
    {{0x2002, 0, 0, 0, 0, 0, 0, 0}, 16, 2},         // 6to4
    {{0x2001, 0, 0, 0, 0, 0, 0, 0}, 32, 12, true},  // Teredo
};
constexpr Carrier kCompatible = {{0, 0, 0, 0, 0, 0, 0, 0}, 96, 12};  // "::127.0.0.1"

IpAddress v6_of(const V6& words) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    bytes.at(2 * i) = static_cast<std::uint8_t>(words.at(i) >> 8);
    bytes.at(2 * i + 1) = static_cast<std::uint8_t>(words.at(i) & 0xff);
  }
  return IpAddress::v6(bytes);
}

bool is_in(const IpAddress& address, const V6& network, unsigned length) {
  return IpPrefix{v6_of(network), length}.contains(address);
}

IpAddress carried(const IpAddress& address, const Carrier& carrier) {
  V4 bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint8_t byte = address.bytes()[carrier.at + i];
    bytes.at(i) = carrier.inverted ? static_cast<std::uint8_t>(~byte) : byte;
  }
  return IpAddress::v4(bytes);
}

// ISATAP (RFC 5214) under any prefix: …:0:5efe:a.b.c.d, or …:200:5efe:… for a public one.
bool is_isatap(const IpAddress& address) {
  const auto bytes = address.bytes();
  return (bytes[8] & 0xfdU) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
}

constexpr Carrier kIsatap = {{}, 0, 12};

const Carrier* find_carrier(const IpAddress& address) {
  for (const Carrier& carrier : kCarriers) {
    if (is_in(address, carrier.network, carrier.length)) return &carrier;
  }
  const bool is_named = is_in(address, {}, 127);  // :: and ::1 are no IPv4 addresses
  if (!is_named && is_in(address, kCompatible.network, kCompatible.length)) return &kCompatible;
  return is_isatap(address) ? &kIsatap : nullptr;
}

AddressClass classify_v4(const IpAddress& address) {
  for (const Range4& range : kRanges4) {
    if (IpPrefix{IpAddress::v4(range.network), range.length}.contains(address)) return range.kind;
  }
  return AddressClass::global;
}

}  // namespace

AddressClass classify(const IpAddress& address) {
  if (address.is_v4()) return classify_v4(address);
  if (const Carrier* carrier = find_carrier(address); carrier != nullptr) {
    const AddressClass kind = classify_v4(carried(address, *carrier));
    return kind == AddressClass::global && !carrier->reaches_internet ? AddressClass::translated : kind;
  }
  for (const Range6& range : kRanges6) {
    if (is_in(address, range.network, range.length)) return range.kind;
  }
  return AddressClass::reserved;
}

std::string_view describe(AddressClass kind) {
  switch (kind) {
    case AddressClass::global:
      return "a public address";
    case AddressClass::unspecified:
      return "the address of no host";
    case AddressClass::loopback:
      return "the loopback";
    case AddressClass::private_use:
      return "a private address";
    case AddressClass::shared:
      return "an address of a carrier's or VPN's network";
    case AddressClass::link_local:
      return "a link-local address";
    case AddressClass::metadata:
      return "where a cloud keeps this machine's credentials";
    case AddressClass::documentation:
      return "an address of examples";
    case AddressClass::multicast:
      return "a multicast address";
    case AddressClass::translated:
      return "an IPv4 address in the disguise of IPv6";
    case AddressClass::reserved:
      return "a reserved address";
  }
  return "a reserved address";
}

Openness openness(const IpAddress& address) {
  const AddressClass kind = classify(address);
  if (kind != AddressClass::global && !address.is_v4() && find_carrier(address) != nullptr) return Openness::never;
  switch (kind) {
    case AddressClass::global:
      return Openness::open;
    case AddressClass::private_use:
    case AddressClass::shared:
    case AddressClass::documentation:
      return Openness::ranges;
    case AddressClass::link_local:
    case AddressClass::metadata:
      return Openness::exactly;
    case AddressClass::unspecified:
    case AddressClass::loopback:
    case AddressClass::multicast:
    case AddressClass::translated:
    case AddressClass::reserved:
      return Openness::never;
  }
  return Openness::never;
}

}  // namespace agentctl::policy
