// SPDX-License-Identifier: Apache-2.0
#include "egress/netlink_socket.h"

#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace agentctl::egress {
namespace {

constexpr std::size_t kLargestAnswer = 16384;
constexpr int kAnswerMsec = 2000;

struct Answer {
  nlmsghdr header{};
  std::string_view body;
};

// Calls `take` with each message; false from it ends the walk.
template <typename Take>
void for_each_message(std::string_view bytes, Take take) {
  while (bytes.size() >= sizeof(nlmsghdr)) {
    Answer answer;
    std::memcpy(&answer.header, bytes.data(), sizeof answer.header);
    const std::size_t length = answer.header.nlmsg_len;
    if (length < sizeof(nlmsghdr) || length > bytes.size()) return;
    answer.body = bytes.substr(sizeof(nlmsghdr), length - sizeof(nlmsghdr));
    if (!take(answer)) return;
    bytes.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(length), bytes.size()));
  }
}

// 0: done.
int error_of(const Answer& answer) {
  int error = 0;
  if (answer.body.size() < sizeof error) return EPROTO;
  std::memcpy(&error, answer.body.data(), sizeof error);
  return -error;
}

Result<std::string_view> receive(const UniqueFd& socket, std::array<char, kLargestAnswer>& room, int msec) {
  pollfd ready{socket.get(), POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&ready, 1, msec);
  } while (count < 0 && errno == EINTR);
  if (count == 0) return errno_error(ETIMEDOUT, "the kernel does not answer about the network");
  const ssize_t size = ::recv(socket.get(), room.data(), room.size(), MSG_DONTWAIT);
  if (size < 0) return errno_error("cannot hear from the kernel about the network");
  return std::string_view(room.data(), static_cast<std::size_t>(size));
}

}  // namespace

Result<NetlinkSocket> NetlinkSocket::open(int protocol, std::uint32_t groups) {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  if (!socket.valid()) return errno_error("cannot speak to the kernel about the network");
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = groups;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return errno_error("cannot speak to the kernel about the network");
  }
  return NetlinkSocket(std::move(socket));
}

Result<void> NetlinkSocket::apply(std::vector<NetlinkMessage>& messages) {
  std::string all;
  const std::uint32_t before = last_sequence_;
  std::uint32_t last_answered = before;
  for (NetlinkMessage& message : messages) {
    all += message.finish(++last_sequence_);
    if (message.wants_answer()) last_answered = last_sequence_;
  }
  if (::send(socket_.get(), all.data(), all.size(), 0) < 0) return errno_error("cannot change the network");
  std::array<char, kLargestAnswer> room;  // NOLINT: filled by recv
  int refused = 0;
  bool is_done = last_answered == before;
  while (!is_done) {
    const std::string_view bytes = AGENTCTL_TRY(receive(socket_, room, kAnswerMsec));
    for_each_message(bytes, [&](const Answer& answer) {
      const std::uint32_t sequence = answer.header.nlmsg_seq;
      if (answer.header.nlmsg_type != NLMSG_ERROR || sequence <= before || sequence > last_sequence_) return true;
      if (refused == 0) refused = error_of(answer);
      is_done = is_done || refused != 0 || sequence == last_answered;
      return true;
    });
  }
  return refused == 0 ? Result<void>() : errno_error(refused, "cannot change the network");
}

Result<std::string> NetlinkSocket::ask(NetlinkMessage& message) {
  const std::string& request = message.finish(++last_sequence_);
  if (::send(socket_.get(), request.data(), request.size(), 0) < 0) return errno_error("cannot ask about the network");
  std::array<char, kLargestAnswer> room;  // NOLINT: filled by recv
  std::optional<std::string> found;
  int refused = 0;
  while (!found && refused == 0) {
    const std::string_view bytes = AGENTCTL_TRY(receive(socket_, room, kAnswerMsec));
    for_each_message(bytes, [&](const Answer& answer) {
      if (answer.header.nlmsg_seq != last_sequence_) return true;
      if (answer.header.nlmsg_type == NLMSG_ERROR)
        refused = error_of(answer);
      else
        found = std::string(answer.body);
      return false;
    });
  }
  if (refused != 0) return errno_error(refused, "cannot ask about the network");
  return std::move(*found);
}

Result<bool> NetlinkSocket::wait_for_event(int msec) {
  std::array<char, kLargestAnswer> room;  // NOLINT: filled by recv
  const auto heard = receive(socket_, room, msec);
  if (heard) return true;
  // ENOBUFS: events were lost, so there were some.
  if (heard.error().sys_errno == ETIMEDOUT) return false;
  return heard.error().sys_errno == ENOBUFS ? Result<bool>(true) : heard.error();
}

}  // namespace agentctl::egress
