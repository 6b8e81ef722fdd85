// SPDX-License-Identifier: Apache-2.0
// PastaProcess: pasta(1) (package passt), through which a session with the network mode nat reaches the internet. It
// takes packets from the session's only interface and makes the connections that they ask for with sockets of the
// host's. A child of the supervisor, which dies with it: it is started with the capabilities of the namespace's owner
// instead of gaining them itself, since that would make it forget its parent-death signal (prctl(2)).
// What it does not protect against is in closed_prefixes.h and SECURITY.md: alone, it would reach the host's network.
#pragma once

#include <string>
#include <utility>

#include "base/child_process.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/inner_network.h"
#include "egress/network_namespace.h"

namespace agentctl::egress {

// The absolute path of a pasta that nobody but root could have changed, and that this user may give a device.
// Kind environment: it is missing, or /dev/net/tun is.
[[nodiscard]] Result<std::string> find_pasta();

class PastaProcess {
 public:
  [[nodiscard]] static Result<PastaProcess> start(const std::string& program, const InnerNetwork& inner,
                                                  const NetworkNamespace& space);

  // Readable when it has ended.
  [[nodiscard]] int pidfd() const { return process_.pidfd(); }
  // What it has said of why it ended: one line, printable, or "".
  [[nodiscard]] std::string last_words() const;

 private:
  PastaProcess(ChildProcess process, UniqueFd words) : process_(std::move(process)), words_(std::move(words)) {}

  ChildProcess process_;
  UniqueFd words_;  // its standard error
};

}  // namespace agentctl::egress
