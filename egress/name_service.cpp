// SPDX-License-Identifier: Apache-2.0
#include "egress/name_service.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/event_loop.h"
#include "base/parent_death.h"
#include "base/process.h"
#include "egress/name_connections.h"
#include "egress/name_queries.h"

namespace agentctl::egress {
namespace {

constexpr int kQueries = 3, kConnections = 4;
constexpr rlim_t kMostDescriptors = 512;

// Nothing of the supervisor's stays open: not the terminal, not the session's records.
bool keep_only(const UniqueFd& queries, const UniqueFd& connections) {
  const int high = ::fcntl(connections.get(), F_DUPFD_CLOEXEC, kConnections + 1);
  if (high < 0 || ::dup2(queries.get(), kQueries) < 0 || ::dup2(high, kConnections) < 0) return false;
  for (int stream = 0; stream < 3; ++stream) ::close(stream);
  return ::syscall(SYS_close_range, kConnections + 1, ~0U, 0) == 0;
}

[[noreturn]] void run(pid_t parent, const UniqueFd& queries_socket, const UniqueFd& connections_socket) {
  die_with(parent);
  const rlimit descriptors{kMostDescriptors, kMostDescriptors};
  sigset_t none;
  sigemptyset(&none);
  if (!keep_only(queries_socket, connections_socket) || ::setrlimit(RLIMIT_NOFILE, &descriptors) != 0 ||
      ::sigprocmask(SIG_SETMASK, &none, nullptr) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    ::_exit(1);
  }
  // Keys of the terminal are the agent's, and an end is the supervisor's to decide.
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  EventLoop loop;
  NameServers servers("/etc/resolv.conf");
  const UniqueFd queries_fd(kQueries), connections_fd(kConnections);
  const NameQueries queries(loop, queries_fd, servers);
  const NameConnections connections(loop, connections_fd, servers);
  (void)loop.run_until([] { return false; });
  ::_exit(1);
}

}  // namespace

Result<NameService> NameService::start(UniqueFd queries, UniqueFd connections) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) run(parent, queries, connections);
  Result<UniqueFd> pidfd = open_pidfd(pid);
  if (!pidfd) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return std::move(pidfd).error();
  }
  return NameService(pid, std::move(*pidfd));
}

NameService::NameService(NameService&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), pidfd_(std::move(other.pidfd_)) {}

NameService::~NameService() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);  // ours and not reaped, so the number cannot be another's
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace agentctl::egress
