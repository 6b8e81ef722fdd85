// SPDX-License-Identifier: Apache-2.0
#include "manager/detached_channel.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/receive.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::string_view kHandover = "handover";
constexpr std::string_view kHeard = "heard";
constexpr std::size_t kDescriptors = 3;  // the request's file, the directory, standard error
constexpr std::size_t kMaxAnswer = 1024;

using Descriptors = std::array<UniqueFd, kDescriptors>;

Error not_ours() {
  return make_error(ErrorKind::usage, "'supervise' is what agentctl itself runs as the service of a detached session",
                    "use 'agentctl start --detach'");
}

// Whatever else came is closed.
std::size_t take_descriptors(msghdr& header, Descriptors& descriptors) {
  std::size_t count = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= part->cmsg_len; at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, reinterpret_cast<const char*>(part) + at, sizeof number);
      UniqueFd descriptor(number);
      if (count < descriptors.size()) descriptors[count] = std::move(descriptor);
      ++count;
    }
  }
  return count;
}

bool is_own_channel(int socket) {
  int type = 0;
  ucred peer{};
  socklen_t type_size = sizeof type;
  socklen_t peer_size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_SEQPACKET &&
         ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) == 0 && peer.uid == ::geteuid();
}

Result<std::string> read_request_file(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || status.st_size < 0 ||
      static_cast<std::size_t>(status.st_size) > kMaxRequestBytes) {
    return make_error(ErrorKind::internal, "the request for a detached session is too large");
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::pread(file, text.data() + size, text.size() - size, static_cast<off_t>(size));
    if (count <= 0) return errno_error(count == 0 ? EIO : errno, "cannot read the request for a detached session");
    size += static_cast<std::size_t>(count);
  }
  return text;
}

Result<void> send_text(int socket, std::string_view text) {
  if (::send(socket, text.data(), text.size(), MSG_NOSIGNAL) < 0) return errno_error("cannot reach the other process");
  return {};
}

std::string receive_text(int socket) {
  std::string text(kMaxAnswer, '\0');
  ssize_t size = 0;
  do {
    size = ::recv(socket, text.data(), text.size(), MSG_DONTWAIT);
  } while (size < 0 && errno == EINTR);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace

Result<SocketPair> make_detached_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return errno_error("cannot make a socket pair");
  return SocketPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<void> send_handover(int socket, const DetachedRequest& request, int directory, int standard_error) {
  const std::string text = serialize(request);
  if (text.size() > kMaxRequestBytes) {
    return make_error(ErrorKind::usage, "cannot detach: the command line and the environment are too large");
  }
  const UniqueFd file = AGENTCTL_TRY(sealed_memory_file("agentctl-request", text));
  const int descriptors[kDescriptors] = {file.get(), directory, standard_error};
  iovec data{const_cast<char*>(kHandover.data()), kHandover.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(part), descriptors, sizeof descriptors);
  if (::sendmsg(socket, &header, MSG_NOSIGNAL) < 0) return errno_error("cannot hand the request over");
  return {};
}

Result<Handover> receive_handover(int socket) {
  if (!is_own_channel(socket)) return not_ours();
  char text[kHandover.size() + 1];
  iovec data{text, sizeof text};
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptors * sizeof(int))];
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t size = receive_message(socket, header, MSG_DONTWAIT);
  Descriptors descriptors;
  const std::size_t count = size < 0 ? 0 : take_descriptors(header, descriptors);
  if (size != static_cast<ssize_t>(kHandover.size()) || std::string_view(text, kHandover.size()) != kHandover ||
      count != kDescriptors || (header.msg_flags & MSG_CTRUNC) != 0) {
    return not_ours();
  }
  const std::string request = AGENTCTL_TRY(read_request_file(descriptors[0].get()));
  return Handover{AGENTCTL_TRY(parse_detached_request(request)), std::move(descriptors[1]), std::move(descriptors[2])};
}

Result<void> send_answer(int socket, const DetachedAnswer& answer) {
  if (answer.kind == DetachedAnswer::Kind::running)
    return send_text(socket, cat("running ", answer.id, " ", answer.name));
  return send_text(socket, cat("ended ", answer.status));
}

Result<DetachedAnswer> receive_answer(int socket) {
  const std::string text = receive_text(socket);
  if (text.empty()) return errno_error(ECONNRESET, "the session's supervisor has ended before the session ran");
  const std::vector<std::string> words = split(text, ' ');
  DetachedAnswer answer;
  if (words.size() == 3 && words[0] == "running") {
    answer.kind = DetachedAnswer::Kind::running;
    answer.id = words[1];
    answer.name = words[2];
    return answer;
  }
  const bool ended = words.size() == 2 && words[0] == "ended";
  if (ended) std::from_chars(words[1].data(), words[1].data() + words[1].size(), answer.status);
  if (!ended) return make_error(ErrorKind::internal, cat("cannot understand the supervisor: '", printable(text), "'"));
  return answer;
}

Result<void> send_heard(int socket) { return send_text(socket, kHeard); }

bool receive_heard(int socket) { return receive_text(socket) == kHeard; }

}  // namespace agentctl::manager
