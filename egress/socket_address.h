// SPDX-License-Identifier: Apache-2.0
// SocketAddress: an address and a port as connect(2) and bind(2) want them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "policy/ip_address.h"

namespace agentctl::egress {

class SocketAddress {
 public:
  SocketAddress(const policy::IpAddress& address, std::uint16_t port);

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t size() const { return size_; }
  [[nodiscard]] int family() const { return storage_.ss_family; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_;
};

}  // namespace agentctl::egress
