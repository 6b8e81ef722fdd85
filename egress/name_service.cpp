// SPDX-License-Identifier: Apache-2.0
#include "egress/name_service.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <utility>

#include "base/event_loop.h"
#include "egress/close_descriptors.h"
#include "egress/name_connections.h"
#include "egress/name_queries.h"

namespace agentctl::egress {
namespace {

constexpr rlim_t kMostDescriptors = 512;

[[noreturn]] void run(const UniqueFd& queries_socket, const UniqueFd& connections_socket) {
  const rlimit descriptors{kMostDescriptors, kMostDescriptors};
  sigset_t none;
  sigemptyset(&none);
  if (!close_all_but({queries_socket.get(), connections_socket.get()}) ||
      ::setrlimit(RLIMIT_NOFILE, &descriptors) != 0 || ::sigprocmask(SIG_SETMASK, &none, nullptr) != 0 ||
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    ::_exit(1);
  }
  // Keys of the terminal are the agent's, and an end is the supervisor's to decide.
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
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
