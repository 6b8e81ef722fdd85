// SPDX-License-Identifier: Apache-2.0
// FakeAddresses: which address stands for which name inside. The DNS stub gives each name that it answers for an
// address of a pool that leads nowhere but to the door, so that a program that knows no proxies tells by the address
// that it connects to which name it means. Bounded: the name that was not asked for the longest loses its address to a
// new one; a program that still used it is then told apart by what it says inside (TLS's server name, HTTP's Host).
// Pure; owned by the door.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "policy/host_name.h"
#include "policy/ip_address.h"

namespace agentctl::egress {

class FakeAddresses {
 public:
  // `pool`: a range of IPv4 addresses, whose first and last are not used; at most `most` of them are.
  FakeAddresses(const policy::IpPrefix& pool, std::size_t most);

  // The name's address, now its or already; nothing when the pool has none at all.
  [[nodiscard]] std::optional<policy::IpAddress> address_of(const policy::HostName& name);
  [[nodiscard]] std::optional<policy::HostName> name_of(const policy::IpAddress& address) const;
  [[nodiscard]] bool covers(const policy::IpAddress& address) const { return pool_.contains(address); }
  [[nodiscard]] std::size_t size() const { return by_name_.size(); }

 private:
  using Order = std::list<policy::HostName>;  // the one asked for last comes first
  struct Place {
    std::size_t index = 0;  // of its address in the pool, from 0
    Order::iterator order;
  };

  [[nodiscard]] policy::IpAddress address_at(std::size_t index) const;
  [[nodiscard]] std::optional<std::size_t> index_of(const policy::IpAddress& address) const;

  policy::IpPrefix pool_;
  std::size_t capacity_;
  Order order_;
  std::map<policy::HostName, Place> by_name_;
  std::vector<Order::iterator> by_index_;
};

}  // namespace agentctl::egress
