// SPDX-License-Identifier: Apache-2.0
// Publisher: the process through which servers inside a session are reached on this machine's loopback. It is started
// when the first port is published, holds no file but sockets, and dies with the supervisor; nothing is published
// without it. Only the host's side can publish: nothing inside speaks to it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/network_namespace.h"
#include "policy/publication.h"

namespace agentctl::egress {

class Publisher {
 public:
  [[nodiscard]] static Result<Publisher> start(const NetworkNamespace& space);

  // Listens on 127.0.0.1 and, where the machine has it, ::1. An Error where the host's port is taken.
  [[nodiscard]] Result<void> publish(const policy::Publication& publication);
  // An Error where it is not published. Its connections end.
  [[nodiscard]] Result<void> unpublish(std::uint16_t host_port);
  // Readable when it has ended: nothing is published any more.
  [[nodiscard]] int pidfd() const { return process_.pidfd(); }
  [[nodiscard]] const std::vector<policy::Publication>& published() const { return published_; }

 private:
  Publisher(ChildProcess process, UniqueFd socket) : process_(std::move(process)), socket_(std::move(socket)) {}

  ChildProcess process_;
  UniqueFd socket_;
  std::vector<policy::Publication> published_;
};

}  // namespace agentctl::egress
