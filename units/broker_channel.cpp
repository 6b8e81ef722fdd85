// SPDX-License-Identifier: Apache-2.0
#include "units/broker_channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/receive.h"

namespace agentctl::units {
namespace {

constexpr std::size_t kMaxMessage = 65536;

Result<void> send_text(int socket, const std::string& text, int descriptor) {
  iovec data{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  if (descriptor >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  }
  if (::sendmsg(socket, &header, MSG_NOSIGNAL) < 0) return errno_error("cannot reach the scope's broker");
  return {};
}

struct Received {
  Words words;
  UniqueFd descriptor;
};

Result<Received> receive(int socket) {
  std::string text(kMaxMessage, '\0');
  iovec data{text.data(), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t size = receive_message(socket, header);
  if (size <= 0) return errno_error(size == 0 ? ECONNRESET : errno, "the scope's broker is gone");
  Received received;
  received.words = split_words(std::string_view(text).substr(0, static_cast<std::size_t>(size)));
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
    received.descriptor.reset(descriptor);
  }
  if (received.words.empty()) return make_error(ErrorKind::internal, "the scope's broker said nothing");
  return received;
}

}  // namespace

Result<void> send_words(int socket, BrokerVerb verb, const Words& words, int descriptor) {
  Words message = {std::to_string(static_cast<int>(verb))};
  message.insert(message.end(), words.begin(), words.end());
  return send_text(socket, join_words(message), descriptor);
}

Result<Words> receive_answer(int socket) {
  Received received = AGENTCTL_TRY(receive(socket));
  const std::string verdict = received.words.front();
  received.words.erase(received.words.begin());
  if (verdict == "ok") return std::move(received.words);
  return parse_error(received.words);
}

Result<Words> ask_broker(int socket, BrokerVerb verb, const Words& words) {
  AGENTCTL_TRY_VOID(send_words(socket, verb, words, -1));
  return receive_answer(socket);
}

Result<BrokerRequest> receive_request(int socket) {
  Received received = AGENTCTL_TRY(receive(socket));
  int verb = 0;
  std::from_chars(received.words[0].data(), received.words[0].data() + received.words[0].size(), verb);
  BrokerRequest request;
  request.verb = static_cast<BrokerVerb>(verb);
  request.words.assign(received.words.begin() + 1, received.words.end());
  request.descriptor = std::move(received.descriptor);
  return request;
}

void send_answer(int socket, const Result<Words>& answer) {
  Words message = {answer ? "ok" : "error"};
  const Words rest = answer ? *answer : to_words(answer.error());
  message.insert(message.end(), rest.begin(), rest.end());
  (void)send_text(socket, join_words(message), -1);
}

}  // namespace agentctl::units
