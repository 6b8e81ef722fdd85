// SPDX-License-Identifier: Apache-2.0
#include "bwrap/stage_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/receive.h"
#include "bwrap/stage_protocol.h"

namespace agentctl::bwrap {
namespace {

struct Received {
  bool closed = false;
  StageMessage message{};
  pid_t pid = 0;
};

Result<Received> receive(int socket) {
  Received received;
  iovec data{&received.message, sizeof received.message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t count = receive_message(socket, header);
  if (count < 0 && errno != ECONNRESET) return errno_error("cannot hear from the stage");
  if (count <= 0) {
    received.closed = true;
    return received;
  }
  if (count != sizeof received.message) return make_error(ErrorKind::internal, "the stage sent half a message");
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) continue;
    ucred credentials{};
    std::memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
    received.pid = credentials.pid;
  }
  return received;
}

}  // namespace

Result<StageChannel> StageChannel::create() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return errno_error("cannot make a socket pair");
  StageChannel channel{UniqueFd(ends[0]), UniqueFd(ends[1])};
  const int on = 1;
  if (::setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return errno_error("cannot ask for credentials on a socket");
  }
  return channel;
}

Result<pid_t> StageChannel::wait_ready(unsigned deadline_msec) {
  pollfd ready{ours_.get(), POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&ready, 1, static_cast<int>(deadline_msec));
  } while (count < 0 && errno == EINTR);
  if (count == 0) return errno_error(ETIMEDOUT, "the sandbox did not come up in time");
  const Received received = AGENTCTL_TRY(receive(ours_.get()));
  if (received.closed) return errno_error(ECONNRESET, "bwrap ended before the sandbox was up");
  if (received.message.kind != StageMessageKind::ready || received.pid <= 0) {
    return make_error(ErrorKind::internal, "the stage did not say that it is ready");
  }
  scope_error_ = received.message.error;
  return received.pid;
}

Result<void> StageChannel::let_go() {
  if (::send(ours_.get(), "g", 1, MSG_NOSIGNAL) != 1) return errno_error("cannot release the stage");
  return {};
}

Result<int> StageChannel::wait_exec() {
  const Received received = AGENTCTL_TRY(receive(ours_.get()));
  if (received.closed) return 0;
  return received.message.error;
}

}  // namespace agentctl::bwrap
