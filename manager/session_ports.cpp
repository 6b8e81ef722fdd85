// SPDX-License-Identifier: Apache-2.0
#include "manager/session_ports.h"

#include "base/text.h"
#include "egress/network_namespace.h"

namespace agentctl::manager {

Result<void> SessionPorts::publish(const egress::Publication& publication, pid_t inside) {
  if (network_ == policy::NetworkMode::host) {
    return make_error(ErrorKind::usage, "it shares the network of this machine: its ports are there already");
  }
  if (!publisher_) {
    const auto space = AGENTCTL_TRY(egress::NetworkNamespace::of(inside));
    publisher_.emplace(AGENTCTL_TRY(egress::Publisher::start(space)));
  }
  return publisher_->publish(publication);
}

Result<void> SessionPorts::unpublish(std::uint16_t host_port) {
  if (publisher_) return publisher_->unpublish(host_port);
  return make_error(ErrorKind::usage, cat("port ", host_port, " is not published"));
}

std::vector<std::string> SessionPorts::list() const {
  std::vector<std::string> words;
  if (!publisher_) return words;
  for (const egress::Publication& publication : publisher_->published()) words.push_back(to_string(publication));
  return words;
}

}  // namespace agentctl::manager
