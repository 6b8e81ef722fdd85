// SPDX-License-Identifier: Apache-2.0
// NetworkNamespace: the network namespace of a sandbox and the user namespace that owns it, by descriptors, so that
// neither can become another's. bwrap makes both before it makes the one in which the agent runs; whoever enters the
// owner has every capability over the network inside, and none over the host. Sources: network_namespaces(7),
// user_namespaces(7), NS_GET_USERNS in ioctl_ns(2).
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::egress {

class NetworkNamespace {
 public:
  // Of a process inside. Refused (kind environment) where it is the caller's own: nothing of it may be changed.
  [[nodiscard]] static Result<NetworkNamespace> of(pid_t inside);

  // For a forked helper: it cannot come back. A parent-death signal is forgotten by both.
  [[nodiscard]] Result<void> enter_owner() const;
  [[nodiscard]] Result<void> enter() const;  // the owner, too

  [[nodiscard]] int fd() const { return network_.get(); }

 private:
  NetworkNamespace(UniqueFd network, UniqueFd owner) : network_(std::move(network)), owner_(std::move(owner)) {}

  UniqueFd network_, owner_;
};

}  // namespace agentctl::egress
