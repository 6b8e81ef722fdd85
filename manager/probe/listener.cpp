// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/listener.h"

#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace agentctl::probe {
namespace {

constexpr int kBacklog = 16;

Result<UniqueFd> open_socket(int family, int type) {
  UniqueFd fd(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return errno_error("cannot make a socket");
  return fd;
}

Result<void> listen_on(int fd, int type, const sockaddr* address, std::size_t size, const std::string& place) {
  if (::bind(fd, address, static_cast<socklen_t>(size)) != 0)
    return errno_error(cat("cannot listen at '", printable(place), "'"));
  if (type != SOCK_DGRAM && ::listen(fd, kBacklog) != 0)
    return errno_error(cat("cannot listen at '", printable(place), "'"));
  return {};
}

}  // namespace

Result<std::unique_ptr<Canary>> Listener::at_unix(std::string item, int type, std::string place, bool abstract) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t offset = abstract ? 1 : 0;
  if (place.size() + offset >= sizeof address.sun_path) {
    return make_error(ErrorKind::environment, cat("the path of a socket is too long: '", printable(place), "'"));
  }
  std::memcpy(address.sun_path + offset, place.data(), place.size());
  UniqueFd fd = AGENTCTL_TRY(open_socket(AF_UNIX, type));
  const std::size_t size = offsetof(sockaddr_un, sun_path) + offset + place.size() + (abstract ? 0 : 1);
  AGENTCTL_TRY_VOID(listen_on(fd.get(), type, reinterpret_cast<const sockaddr*>(&address), size, place));
  std::string path = abstract ? std::string() : place;
  return std::unique_ptr<Canary>(new Listener(std::move(item), type, std::move(place), std::move(path), std::move(fd)));
}

Result<std::unique_ptr<Canary>> Listener::at_name(std::string item, int type, std::string name) {
  return at_unix(std::move(item), type, std::move(name), true);
}

Result<std::unique_ptr<Canary>> Listener::at_path(std::string item, int type, std::string path) {
  return at_unix(std::move(item), type, std::move(path), false);
}

Result<std::unique_ptr<Canary>> Listener::at_port(std::string item, int family, int type) {
  sockaddr_in6 six{};
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  const bool is_six = family == AF_INET6;
  auto* const address = is_six ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
  socklen_t size = is_six ? sizeof six : sizeof four;
  UniqueFd fd = AGENTCTL_TRY(open_socket(family, type));
  AGENTCTL_TRY_VOID(listen_on(fd.get(), type, address, size, is_six ? "::1" : "127.0.0.1"));
  if (::getsockname(fd.get(), address, &size) != 0) return errno_error("cannot read the port of a socket");
  const unsigned port = ntohs(is_six ? six.sin6_port : four.sin_port);
  return std::unique_ptr<Canary>(
      new Listener(std::move(item), type, std::to_string(port), std::string(), std::move(fd)));
}

Listener::~Listener() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void Listener::describe(Planted& planted) const { planted.tell(item_, place_); }

void Listener::look(Evidence& evidence) {
  if (take()) evidence.effects.insert(item_);
}

bool Listener::take() {
  bool has_come = false;
  char byte = 0;
  if (type_ == SOCK_DGRAM) {
    while (::recv(fd_.get(), &byte, 1, MSG_DONTWAIT) >= 0) has_come = true;
    return has_come;
  }
  while (true) {
    const UniqueFd connection(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.valid()) return has_come;
    has_come = has_come || ::recv(connection.get(), &byte, 1, MSG_DONTWAIT) == 1;
  }
}

}  // namespace agentctl::probe
