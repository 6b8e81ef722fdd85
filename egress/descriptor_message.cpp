// SPDX-License-Identifier: Apache-2.0
#include "egress/descriptor_message.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/receive.h"

namespace agentctl::egress {
namespace {

using Control = std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))>;

}  // namespace

Result<void> send_descriptors(int socket, std::string_view text, const std::vector<UniqueFd>& descriptors) {
  std::string copy(text);
  iovec data{copy.data(), copy.size()};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  alignas(cmsghdr) Control control{};
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    int* fds = reinterpret_cast<int*>(CMSG_DATA(part));
    for (const UniqueFd& descriptor : descriptors) *fds++ = descriptor.get();
  }
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) return errno_error("cannot pass descriptors on");
  return {};
}

Result<DescriptorMessage> receive_descriptors(int socket) {
  std::array<char, kMostText> text{};
  iovec data{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  alignas(cmsghdr) Control control{};
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = receive_message(socket, message);
  if (size < 0) return errno_error("cannot receive descriptors");
  if (size == 0) return errno_error(ECONNRESET, "cannot receive descriptors");
  DescriptorMessage received;
  received.text.assign(text.data(), static_cast<std::size_t>(size));
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t at = 0; at < count; ++at) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + at * sizeof fd, sizeof fd);
      received.descriptors.emplace_back(fd);
    }
  }
  return received;
}

}  // namespace agentctl::egress
