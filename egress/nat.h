// SPDX-License-Identifier: Apache-2.0
// Nat: the way to the internet of one session with the network mode nat: pasta, the name service, and what closes the
// host's own networks. Made beside bwrap's work, proven before the agent runs, owned by the supervisor.
// It does not protect against: what the public internet holds; public addresses that lead back to the host by ways that
// its own addresses do not show (its router's outer address); addresses that the host gets after the session's start.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "egress/host_network.h"
#include "egress/inner_network.h"
#include "egress/name_service.h"
#include "egress/namespace_helper.h"
#include "egress/pasta_process.h"

namespace agentctl::egress {

class Nat {
 public:
  // Before anything is built: what is missing on this machine (kind environment).
  [[nodiscard]] static Result<Nat> prepare();

  // `inside`: a process in the sandbox, whose own program does not run yet.
  [[nodiscard]] Result<void> begin(pid_t inside);
  // Waits until all is there and closed as it must be.
  [[nodiscard]] Result<void> finish();

  // Readable when the session finds no names any more.
  [[nodiscard]] int names_lost_fd() const { return names_ ? names_->pidfd() : -1; }
  // Readable when the session has lost its way out.
  [[nodiscard]] int lost_fd() const { return pasta_ ? pasta_->pidfd() : -1; }
  [[nodiscard]] std::string last_words() const { return pasta_ ? pasta_->last_words() : std::string(); }

 private:
  Nat(std::string program, HostNetwork host, InnerNetwork inner);

  std::string program_;
  HostNetwork host_;
  InnerNetwork inner_;
  std::optional<NamespaceHelper> helper_;
  std::optional<PastaProcess> pasta_;
  std::optional<NameService> names_;
};

}  // namespace agentctl::egress
