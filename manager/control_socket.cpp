// SPDX-License-Identifier: Apache-2.0
#include "manager/control_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kMaxMessage = 16384;

// Through /proc/self/fd, so that a long runtime directory does not exceed the 108 bytes of sun_path (unix(7)).
Result<sockaddr_un> address_in(int dir) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = cat("/proc/self/fd/", dir, "/control");
  if (path.size() >= sizeof address.sun_path) return errno_error(ENAMETOOLONG, "cannot name the control socket");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<std::string> receive(int connection, int deadline_msec) {
  pollfd readable{connection, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&readable, 1, deadline_msec);
  } while (count < 0 && errno == EINTR);
  if (count == 0) return errno_error(ETIMEDOUT, "no answer");
  std::string text(kMaxMessage, '\0');
  const ssize_t size = ::recv(connection, text.data(), text.size(), MSG_DONTWAIT);
  if (size <= 0) return errno_error(size == 0 ? ECONNRESET : errno, "the other side went away");
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace

Result<UniqueFd> listen_control(int session_dir) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno_error("cannot make the control socket");
  const sockaddr_un address = AGENTCTL_TRY(address_in(session_dir));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), 16) != 0) {
    return errno_error("cannot listen on the control socket");
  }
  return socket;
}

Result<UniqueFd> accept_control(int listener) {
  UniqueFd connection(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.valid()) return errno_error("cannot accept a control connection");
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return errno_error("cannot tell who asks");
  }
  if (peer.uid != ::geteuid() && peer.uid != 0) return errno_error(EPERM, "a stranger asks");
  return connection;
}

Result<std::string> read_request(int connection) { return receive(connection, 0); }

void answer_control(int connection, const std::string& text) {
  (void)::send(connection, text.data(), std::min(text.size(), kMaxMessage), MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool is_listened_to(const std::string& session_dir) {
  const auto dir = open_at(AT_FDCWD, session_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto address = dir ? address_in(dir->get()) : Result<sockaddr_un>(dir.error());
  if (!address || !socket.valid()) return false;
  // EAGAIN: many ask it at the moment.
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0 || errno == EAGAIN;
}

Result<UniqueFd> send_control(const std::string& session_dir, const std::string& request) {
  const UniqueFd dir = AGENTCTL_TRY(open_at(AT_FDCWD, session_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return errno_error("cannot make a socket");
  const sockaddr_un address = AGENTCTL_TRY(address_in(dir.get()));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return errno_error("cannot reach the session's supervisor");
  }
  if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) {
    return errno_error("cannot reach the session's supervisor");
  }
  return socket;
}

Result<std::string> wait_answer(int connection, std::uint64_t deadline_usec) {
  return receive(connection, static_cast<int>(std::min<std::uint64_t>(deadline_usec / 1000U, INT_MAX)));
}

}  // namespace agentctl::manager
