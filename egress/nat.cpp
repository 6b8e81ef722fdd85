// SPDX-License-Identifier: Apache-2.0
#include "egress/nat.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "egress/closed_prefixes.h"
#include "egress/nat_namespace.h"

namespace agentctl::egress {
namespace {

constexpr int kDeadlineMsec = 8000;  // the helper gives up sooner

}  // namespace

Nat::Nat(std::string program, HostNetwork host, InnerNetwork inner)
    : program_(std::move(program)), host_(std::move(host)), inner_(std::move(inner)) {}

Result<Nat> Nat::prepare() {
  std::string program = AGENTCTL_TRY(find_pasta());
  HostNetwork host = AGENTCTL_TRY(read_host_network());
  InnerNetwork inner = choose_inner_network(host.near, host.has_v4, host.has_v6);
  if (!inner.v4 && !inner.v6) {
    return make_error(ErrorKind::environment, "network nat needs a way to the internet, and this machine has none now",
                      "connect it first; or --net none");
  }
  return Nat(std::move(program), std::move(host), std::move(inner));
}

Result<void> Nat::begin(pid_t inside) {
  const NetworkNamespace space = AGENTCTL_TRY(NetworkNamespace::of(inside));
  helper_.emplace(AGENTCTL_TRY(
      NamespaceHelper::fork(space, [this] { return prepare_nat_namespace(inner_, closed_prefixes(host_.near)); })));
  pasta_.emplace(AGENTCTL_TRY(PastaProcess::start(program_, inner_, space)));
  return {};
}

Result<void> Nat::finish() {
  std::array<pollfd, 2> ends = {pollfd{helper_->fd(), POLLIN, 0}, pollfd{pasta_->pidfd(), POLLIN, 0}};
  int count = 0;
  do {
    count = ::poll(ends.data(), ends.size(), kDeadlineMsec);
  } while (count < 0 && errno == EINTR);
  if (count == 0) return errno_error(ETIMEDOUT, "cannot set up the network of the session");
  if (ends[1].revents != 0) {
    const std::string words = pasta_->last_words();
    return make_error(ErrorKind::environment, cat("pasta has ended", words.empty() ? "" : ": ", words),
                      "another network can be chosen: --net none or host");
  }
  Sockets sockets = AGENTCTL_TRY(helper_->take());
  helper_.reset();
  if (sockets.size() != 2) return make_error(ErrorKind::internal, "the helper for the network gave no sockets");
  names_.emplace(AGENTCTL_TRY(NameService::start(std::move(sockets[0]), std::move(sockets[1]))));
  return {};
}

}  // namespace agentctl::egress
