// SPDX-License-Identifier: Apache-2.0
// NameService: the process that answers a session's questions for names, on 127.0.0.1 port 53 of the session's own
// network, by asking the host's name servers. A child of the supervisor that dies with it; without it the session finds
// no names, and nothing else is open. It holds no file but its two sockets and can execute nothing.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::egress {

class NameService {
 public:
  // The sockets of prepare_nat_namespace().
  [[nodiscard]] static Result<NameService> start(UniqueFd queries, UniqueFd connections);
  NameService(NameService&& other) noexcept;
  NameService& operator=(NameService&&) = delete;
  NameService(const NameService&) = delete;
  NameService& operator=(const NameService&) = delete;
  ~NameService();  // ends it

  [[nodiscard]] int pidfd() const { return pidfd_.get(); }  // readable when it has ended

 private:
  NameService(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  pid_t pid_;
  UniqueFd pidfd_;
};

}  // namespace agentctl::egress
