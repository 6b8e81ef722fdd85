// SPDX-License-Identifier: Apache-2.0
// recvmsg(2) that is not interrupted by signals and gives every descriptor as close-on-exec. Async-signal-safe.
#pragma once

#include <sys/socket.h>

#include <cerrno>

namespace agentctl {

[[nodiscard]] inline ssize_t receive_message(int socket, msghdr& message, int flags = 0) {
  ssize_t size = 0;
  do {
    size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
  } while (size < 0 && errno == EINTR);
  return size;
}

}  // namespace agentctl
