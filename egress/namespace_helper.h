// SPDX-License-Identifier: Apache-2.0
// NamespaceHelper: a forked process that enters a sandbox's network, does one piece of work there and hands back the
// sockets that it made: a socket belongs to the network in which it was made, whoever holds it later
// (network_namespaces(7)). Dies with the process that forked it.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/network_namespace.h"

namespace agentctl::egress {

using Sockets = std::vector<UniqueFd>;

class NamespaceHelper {
 public:
  // `work` runs in the child, inside; at most kMostDescriptors sockets (descriptor_message.h).
  [[nodiscard]] static Result<NamespaceHelper> fork(const NetworkNamespace& space,
                                                    const std::function<Result<Sockets>()>& work);

  [[nodiscard]] int fd() const { return socket_.get(); }  // readable when it has finished
  // Its Error is of kind environment.
  [[nodiscard]] Result<Sockets> take();

 private:
  NamespaceHelper(ChildProcess process, UniqueFd socket) : process_(std::move(process)), socket_(std::move(socket)) {}

  ChildProcess process_;
  UniqueFd socket_;
};

}  // namespace agentctl::egress
