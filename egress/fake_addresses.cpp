// SPDX-License-Identifier: Apache-2.0
#include "egress/fake_addresses.h"

#include <algorithm>
#include <array>

namespace agentctl::egress {
namespace {

using policy::HostName;
using policy::IpAddress;

constexpr unsigned kBits = 32;

std::uint32_t number_of(const IpAddress& address) {
  std::uint32_t number = 0;
  for (const std::uint8_t byte : address.bytes()) number = (number << 8) | byte;
  return number;
}

std::size_t usable(const policy::IpPrefix& pool) {
  if (!pool.address.is_v4() || pool.length > kBits) return 0;
  const std::uint64_t all = 1ULL << (kBits - pool.length);
  return all < 3 ? 0 : static_cast<std::size_t>(all - 2);
}

}  // namespace

FakeAddresses::FakeAddresses(const policy::IpPrefix& pool, std::size_t most)
    : pool_(pool), capacity_(std::min(usable(pool), most)) {}

IpAddress FakeAddresses::address_at(std::size_t index) const {
  const std::uint32_t number = number_of(pool_.address) + 1 + static_cast<std::uint32_t>(index);
  std::array<std::uint8_t, 4> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes.at(i) = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return IpAddress::v4(bytes);
}

std::optional<std::size_t> FakeAddresses::index_of(const IpAddress& address) const {
  if (!covers(address)) return std::nullopt;
  const std::uint32_t offset = number_of(address) - number_of(pool_.address);
  if (offset == 0 || offset > by_index_.size()) return std::nullopt;
  return offset - 1;
}

std::optional<IpAddress> FakeAddresses::address_of(const HostName& name) {
  if (capacity_ == 0) return std::nullopt;
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    order_.splice(order_.begin(), order_, known->second.order);
    return address_at(known->second.index);
  }
  std::size_t index = by_index_.size();
  order_.push_front(name);
  if (index < capacity_) {
    by_index_.push_back(order_.begin());
  } else {
    const auto oldest = by_name_.find(order_.back());
    index = oldest->second.index;
    by_name_.erase(oldest);
    order_.pop_back();
    by_index_[index] = order_.begin();
  }
  by_name_.emplace(name, Place{index, order_.begin()});
  return address_at(index);
}

std::optional<HostName> FakeAddresses::name_of(const IpAddress& address) const {
  const auto index = index_of(address);
  if (!index) return std::nullopt;
  return *by_index_[*index];
}

}  // namespace agentctl::egress
