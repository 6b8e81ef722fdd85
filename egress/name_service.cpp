// SPDX-License-Identifier: Apache-2.0
#include "egress/name_service.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

#include "base/event_loop.h"
#include "egress/close_descriptors.h"
#include "egress/confinement.h"
#include "egress/name_connections.h"
#include "egress/name_queries.h"

namespace agentctl::egress {
namespace {

constexpr rlim_t kMostDescriptors = 512;

[[noreturn]] void run(const UniqueFd& queries_socket, const UniqueFd& connections_socket) {
  const rlimit descriptors{kMostDescriptors, kMostDescriptors};
  if (!close_all_but({queries_socket.get(), connections_socket.get()}) ||
      ::setrlimit(RLIMIT_NOFILE, &descriptors) != 0 || !give_up_privileges()) {
    ::_exit(1);
  }
  EventLoop loop;
  NameServers servers("/etc/resolv.conf");
  const NameQueries queries(loop, queries_socket, servers);
  const NameConnections connections(loop, connections_socket, servers);
  (void)loop.run_until([] { return false; });
  ::_exit(1);
}

}  // namespace

Result<NameService> NameService::start(UniqueFd queries, UniqueFd connections) {
  return NameService(AGENTCTL_TRY(ChildProcess::fork([&] { run(queries, connections); })));
}

}  // namespace agentctl::egress
