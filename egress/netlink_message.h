// SPDX-License-Identifier: Apache-2.0
// NetlinkMessage: one request to the kernel as it is sent: header, the family's own header, attributes, which may hold
// attributes. Pure. Sources: netlink(7), include/uapi/linux/netlink.h.
#pragma once

#include <linux/netlink.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace agentctl::egress {

class NetlinkMessage {
 public:
  // `flags`: NLM_F_ACK and the like; NLM_F_REQUEST is always set.
  NetlinkMessage(std::uint16_t type, std::uint16_t flags);
  [[nodiscard]] bool wants_answer() const { return (flags_ & NLM_F_ACK) != 0; }

  // As it lies in memory: the header that the family wants, or the content of an attribute.
  template <typename Header>
  NetlinkMessage& head(const Header& header) {
    static_assert(std::is_trivially_copyable_v<Header>);
    append(bytes_of(header));
    return *this;
  }
  NetlinkMessage& bytes(std::uint16_t type, std::span<const std::uint8_t> content);
  NetlinkMessage& text(std::uint16_t type, std::string_view content);  // with the NUL at its end
  template <typename Number>
  NetlinkMessage& number(std::uint16_t type, Number value) {  // in the byte order of this machine
    return bytes(type, bytes_of(value));
  }
  NetlinkMessage& number_be32(std::uint16_t type, std::uint32_t value);  // as nf_tables wants its numbers

  // An attribute that holds those that `fill` adds.
  template <typename Fill>
  NetlinkMessage& nest(std::uint16_t type, Fill fill) {
    const std::size_t at = begin(static_cast<std::uint16_t>(type | NLA_F_NESTED));
    fill(*this);
    end(at);
    return *this;
  }

  // The whole of it, numbered.
  [[nodiscard]] const std::string& finish(std::uint32_t sequence);

 private:
  template <typename Value>
  static std::span<const std::uint8_t> bytes_of(const Value& value) {
    return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
  }
  void append(std::span<const std::uint8_t> content);
  [[nodiscard]] std::size_t begin(std::uint16_t type);
  void end(std::size_t at);

  std::uint16_t flags_;
  std::string data_;
};

}  // namespace agentctl::egress
