// SPDX-License-Identifier: Apache-2.0
// SessionPorts: the ports of one session that are published on this machine's loopback (egress/publisher.h, which is
// started with the first). Owned by the session; they end with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "egress/publication.h"
#include "egress/publisher.h"
#include "policy/policy.h"

namespace agentctl::manager {

class SessionPorts {
 public:
  explicit SessionPorts(policy::NetworkMode network) : network_(network) {}

  // `inside`: a process of the session's, which lives. Refused where the session has the host's own network.
  [[nodiscard]] Result<void> publish(const egress::Publication& publication, pid_t inside);
  [[nodiscard]] Result<void> unpublish(std::uint16_t host_port);
  [[nodiscard]] std::vector<std::string> list() const;  // "3000", "8080:3000"
  // Readable when nothing is published any more, because its process has ended; -1: nothing was. Then forget() it.
  [[nodiscard]] int lost_fd() const { return publisher_ ? publisher_->pidfd() : -1; }
  void forget() { publisher_.reset(); }

 private:
  policy::NetworkMode network_;
  std::optional<egress::Publisher> publisher_;
};

}  // namespace agentctl::manager
