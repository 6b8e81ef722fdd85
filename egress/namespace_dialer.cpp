// SPDX-License-Identifier: Apache-2.0
#include "egress/namespace_dialer.h"

#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/parent_death.h"
#include "egress/close_descriptors.h"
#include "egress/descriptor_message.h"

namespace agentctl::egress {
namespace {

constexpr int kAnswerMsec = 2000;

bool give_up_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, 2> none{};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_capset, &header, none.data()) == 0;
}

[[noreturn]] void run(pid_t parent, int socket, const NetworkNamespace& space) {
  if (!space.enter() || !give_up_capabilities()) ::_exit(1);
  die_with(parent);  // only now: the change of credentials forgets it
  if (!close_all_but({socket})) ::_exit(1);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  int family = 0;
  while (::read(socket, &family, sizeof family) == sizeof family) {
    std::vector<UniqueFd> made;
    made.emplace_back(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made.front().valid()) made.clear();
    if (!send_descriptors(socket, "s", made)) break;
  }
  ::_exit(0);
}

}  // namespace

Result<NamespaceDialer> NamespaceDialer::start(const NetworkNamespace& space) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("cannot make a socket pair");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const pid_t parent = ::getpid();
  ChildProcess process =
      AGENTCTL_TRY(ChildProcess::fork([&] { run(parent, theirs.get(), space); }, ChildProcess::DiesWithParent::itself));
  return NamespaceDialer(std::move(process), std::move(ours));
}

Result<UniqueFd> NamespaceDialer::make_socket(int family) {
  if (::send(socket_.get(), &family, sizeof family, MSG_NOSIGNAL) != sizeof family) {
    return errno_error("cannot speak to the helper in the session's network");
  }
  pollfd ready{socket_.get(), POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&ready, 1, kAnswerMsec);
  } while (count < 0 && errno == EINTR);
  if (count == 0) return errno_error(ETIMEDOUT, "the helper in the session's network does not answer");
  DescriptorMessage answer = AGENTCTL_TRY(receive_descriptors(socket_.get()));
  if (answer.descriptors.empty()) {
    return make_error(ErrorKind::system, "cannot make a socket in the session's network");
  }
  return std::move(answer.descriptors.front());
}

}  // namespace agentctl::egress
