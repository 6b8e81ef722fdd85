// SPDX-License-Identifier: Apache-2.0
#include "egress/netlink_message.h"

#include <arpa/inet.h>

#include <cstddef>

namespace agentctl::egress {

NetlinkMessage::NetlinkMessage(std::uint16_t type, std::uint16_t flags) : flags_(flags) {
  nlmsghdr header{};
  header.nlmsg_type = type;
  header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
  append(bytes_of(header));
}

void NetlinkMessage::append(std::span<const std::uint8_t> content) {
  data_.append(reinterpret_cast<const char*>(content.data()), content.size());
  data_.resize(NLMSG_ALIGN(data_.size()), '\0');
}

std::size_t NetlinkMessage::begin(std::uint16_t type) {
  const std::size_t at = data_.size();
  nlattr attribute{};
  attribute.nla_type = type;
  append(bytes_of(attribute));
  return at;
}

void NetlinkMessage::end(std::size_t at) {
  const auto length = static_cast<std::uint16_t>(data_.size() - at);
  std::memcpy(data_.data() + at + offsetof(nlattr, nla_len), &length, sizeof length);
}

NetlinkMessage& NetlinkMessage::bytes(std::uint16_t type, std::span<const std::uint8_t> content) {
  nlattr attribute{};
  attribute.nla_len = static_cast<std::uint16_t>(NLA_HDRLEN + content.size());
  attribute.nla_type = type;
  append(bytes_of(attribute));
  append(content);
  return *this;
}

NetlinkMessage& NetlinkMessage::text(std::uint16_t type, std::string_view content) {
  const std::string with_nul(content);
  return bytes(type, {reinterpret_cast<const std::uint8_t*>(with_nul.c_str()), with_nul.size() + 1});
}

NetlinkMessage& NetlinkMessage::number_be32(std::uint16_t type, std::uint32_t value) {
  return number(type, htonl(value));
}

const std::string& NetlinkMessage::finish(std::uint32_t sequence) {
  const auto length = static_cast<std::uint32_t>(data_.size());
  std::memcpy(data_.data() + offsetof(nlmsghdr, nlmsg_len), &length, sizeof length);
  std::memcpy(data_.data() + offsetof(nlmsghdr, nlmsg_seq), &sequence, sizeof sequence);
  return data_;
}

}  // namespace agentctl::egress
