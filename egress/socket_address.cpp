// SPDX-License-Identifier: Apache-2.0
#include "egress/socket_address.h"

#include <cstring>

namespace agentctl::egress {

SocketAddress::SocketAddress(const policy::IpAddress& address, std::uint16_t port) : size_(0) {
  if (address.is_v4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.bytes().data(), address.bytes().size());
    std::memcpy(&storage_, &v4, sizeof v4);
    size_ = sizeof v4;
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, address.bytes().data(), address.bytes().size());
    std::memcpy(&storage_, &v6, sizeof v6);
    size_ = sizeof v6;
  }
}

}  // namespace agentctl::egress
