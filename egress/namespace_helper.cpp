// SPDX-License-Identifier: Apache-2.0
#include "egress/namespace_helper.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "base/parent_death.h"
#include "base/receive.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kMostSockets = 8;

// A text, empty when all went well, and the sockets.
void send_outcome(int socket, const Result<Sockets>& outcome) {
  std::string text = outcome ? std::string() : outcome.error().message;
  if (!outcome && !outcome.error().hint.empty()) text += '\n' + outcome.error().hint;
  text.push_back('\0');
  iovec data{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostSockets * sizeof(int))> control{};
  if (outcome && !outcome->empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(outcome->size() * sizeof(int));
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(outcome->size() * sizeof(int));
    int* fds = reinterpret_cast<int*>(CMSG_DATA(part));
    for (const UniqueFd& made : *outcome) *fds++ = made.get();
  }
  (void)::sendmsg(socket, &message, MSG_NOSIGNAL);
}

[[noreturn]] void run(pid_t parent, int socket, const NetworkNamespace& space,
                      const std::function<Result<Sockets>()>& work) {
  Result<void> entered = space.enter();
  die_with(parent);  // only now: the change of credentials forgets it
  send_outcome(socket, entered ? work() : Result<Sockets>(entered.error()));
  ::_exit(0);
}

}  // namespace

Result<NamespaceHelper> NamespaceHelper::fork(const NetworkNamespace& space,
                                              const std::function<Result<Sockets>()>& work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("cannot make a socket pair");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) run(parent, theirs.get(), space, work);
  return NamespaceHelper(pid, std::move(ours));
}

Result<Sockets> NamespaceHelper::take() {
  std::array<char, 2048> text{};
  iovec data{text.data(), text.size() - 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostSockets * sizeof(int))> control{};
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = receive_message(socket_.get(), message);
  if (size <= 0) return make_error(ErrorKind::internal, "the helper for the network ended without a word");
  Sockets sockets;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t at = 0; at < count; ++at) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + at * sizeof fd, sizeof fd);
      sockets.emplace_back(fd);
    }
  }
  const std::string said = text.data();
  if (said.empty()) return sockets;
  const std::size_t line = said.find('\n');
  return make_error(ErrorKind::environment, said.substr(0, line),
                    line == std::string::npos ? std::string() : said.substr(line + 1));
}

NamespaceHelper::NamespaceHelper(NamespaceHelper&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), socket_(std::move(other.socket_)) {}

NamespaceHelper::~NamespaceHelper() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);  // ours and not reaped, so the number cannot be another's
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace agentctl::egress
