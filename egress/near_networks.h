// SPDX-License-Identifier: Apache-2.0
// NearNetworks: to what this machine is attached now, looked at no more than once a second, however many connections
// are judged by it. Owned by the door.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "egress/host_network.h"

namespace agentctl::egress {

class NearNetworks {
 public:
  // Null where the kernel does not say: then nothing can be called far.
  [[nodiscard]] const HostNetworks* look() {
    constexpr std::uint64_t kBelievedUsec = 1'000'000;
    const std::uint64_t now = monotonic_usec();
    if (!is_known_ || now >= until_usec_) {
      auto seen = read_near_networks();
      is_known_ = seen.has_value();
      if (seen) networks_ = std::move(*seen);
      until_usec_ = now + kBelievedUsec;
    }
    return is_known_ ? &networks_ : nullptr;
  }

 private:
  HostNetworks networks_;
  bool is_known_ = false;
  std::uint64_t until_usec_ = 0;
};

}  // namespace agentctl::egress
