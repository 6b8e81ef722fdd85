// SPDX-License-Identifier: Apache-2.0
// NamespaceDialer: a process that stands in a sandbox's network and gives out sockets that were made there, for whoever
// connects to what listens inside. It has given up every capability, holds one socket, and is in neither the session's
// process nor its mount namespace, so that nobody inside can reach it. Dies with the process that started it.
#pragma once

#include <utility>

#include "base/child_process.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/network_namespace.h"

namespace agentctl::egress {

class NamespaceDialer {
 public:
  [[nodiscard]] static Result<NamespaceDialer> start(const NetworkNamespace& space);

  [[nodiscard]] int fd() const { return socket_.get(); }
  // A TCP socket of that network, non-blocking, of the family AF_INET or AF_INET6. Takes microseconds.
  [[nodiscard]] Result<UniqueFd> make_socket(int family);

 private:
  NamespaceDialer(ChildProcess process, UniqueFd socket) : process_(std::move(process)), socket_(std::move(socket)) {}

  ChildProcess process_;
  UniqueFd socket_;
};

}  // namespace agentctl::egress
