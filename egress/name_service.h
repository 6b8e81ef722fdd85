// SPDX-License-Identifier: Apache-2.0
// NameService: the process that answers a session's questions for names, on 127.0.0.1 port 53 of the session's own
// network, by asking the host's name servers. A child of the supervisor that dies with it; without it the session finds
// no names, and nothing else is open. It holds no file but its two sockets and can execute nothing.
#pragma once

#include <utility>

#include "base/child_process.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::egress {

class NameService {
 public:
  // The sockets of prepare_nat_namespace(). The process ends with what this returns.
  [[nodiscard]] static Result<NameService> start(UniqueFd queries, UniqueFd connections);

  [[nodiscard]] int pidfd() const { return process_.pidfd(); }  // readable when it has ended

 private:
  explicit NameService(ChildProcess process) : process_(std::move(process)) {}

  ChildProcess process_;
};

}  // namespace agentctl::egress
