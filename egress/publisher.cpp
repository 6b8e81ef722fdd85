// SPDX-License-Identifier: Apache-2.0
#include "egress/publisher.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/event_loop.h"
#include "base/text.h"
#include "egress/close_descriptors.h"
#include "egress/confinement.h"
#include "egress/descriptor_message.h"
#include "egress/namespace_dialer.h"
#include "egress/published_port.h"
#include "egress/socket_address.h"
#include "policy/host.h"

namespace agentctl::egress {
namespace {

constexpr int kBacklog = 64;
constexpr rlim_t kMostDescriptorsOpen = 16384;  // two for each connection

// None of the family: the machine has no such loopback.
Result<UniqueFd> listen_on(const policy::IpAddress& address, std::uint16_t port) {
  const SocketAddress place(address, port);
  UniqueFd made(::socket(place.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (!made.valid() || ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(made.get(), place.get(), place.size()) != 0 || ::listen(made.get(), kBacklog) != 0) {
    return errno_error(cat("cannot publish on port ", port, " of this machine"));
  }
  return made;
}

Result<std::vector<UniqueFd>> listen_on_loopback(const policy::Publication& publication) {
  std::vector<UniqueFd> listeners;
  const std::uint16_t port = publication.host_port;
  auto v4 = listen_on(*policy::parse_ipv4("127.0.0.1"), port);
  if (!v4) {
    if (v4.error().sys_errno == EADDRINUSE)
      v4.error().hint = cat("another one, such as ", port + 1, ":", publication.port);
    return v4.error();
  }
  listeners.push_back(std::move(*v4));
  auto v6 = listen_on(*policy::parse_ipv6("::1"), port);
  if (v6) listeners.push_back(std::move(*v6));
  if (!v6 && v6.error().sys_errno == EADDRINUSE) return v6.error();  // whoever asks for localhost would get another
  return listeners;
}

// The process: what it is told comes as "HOST-PORT PORT" with listeners, or "HOST-PORT" alone, which ends it.
class Ports {
 public:
  Ports(EventLoop& loop, NamespaceDialer& dialer, int socket) : loop_(loop), dialer_(dialer), socket_(socket) {}

  // False: the supervisor is gone.
  bool hear() {
    auto told = receive_descriptors(socket_);
    if (!told) return false;
    const std::size_t space = told->text.find(' ');
    const auto host_port = policy::parse_port(std::string_view(told->text).substr(0, space));
    if (!host_port) return true;
    if (space == std::string::npos) {
      ports_.erase(*host_port);
      return true;
    }
    const auto port = policy::parse_port(std::string_view(told->text).substr(space + 1));
    if (port) {
      ports_[*host_port] = std::make_unique<PublishedPort>(loop_, std::move(told->descriptors), *port,
                                                           [this](int family) { return dialer_.make_socket(family); });
    }
    return true;
  }

 private:
  EventLoop& loop_;
  NamespaceDialer& dialer_;
  int socket_;
  std::map<std::uint16_t, std::unique_ptr<PublishedPort>> ports_;
};

[[noreturn]] void run(int socket, const NetworkNamespace& space) {
  auto dialer = NamespaceDialer::start(space);
  if (!dialer || !close_all_but({socket, dialer->fd()})) ::_exit(1);
  EventLoop loop;
  if (!confine_to_sockets(kMostDescriptorsOpen)) ::_exit(1);
  Ports ports(loop, *dialer, socket);
  bool is_over = false;
  loop.watch(socket, POLLIN, [&](short) { is_over = !ports.hear(); });
  loop.watch(dialer->fd(), 0, [&](short) { is_over = true; });  // its end: nobody can be reached any more
  (void)loop.run_until([&] { return is_over; });
  ::_exit(0);
}

}  // namespace

Result<Publisher> Publisher::start(const NetworkNamespace& space) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("cannot make a socket pair");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  return Publisher(AGENTCTL_TRY(ChildProcess::fork([&] { run(theirs.get(), space); })), std::move(ours));
}

Result<void> Publisher::publish(const policy::Publication& publication) {
  const auto is_it = [&](const policy::Publication& other) { return other.host_port == publication.host_port; };
  if (std::any_of(published_.begin(), published_.end(), is_it)) {
    return make_error(ErrorKind::usage, cat("port ", publication.host_port, " is published already"));
  }
  const std::vector<UniqueFd> listeners = AGENTCTL_TRY(listen_on_loopback(publication));
  AGENTCTL_TRY_VOID(send_descriptors(socket_.get(), cat(publication.host_port, " ", publication.port), listeners));
  published_.push_back(publication);
  return {};
}

Result<void> Publisher::unpublish(std::uint16_t host_port) {
  const auto found = std::find_if(published_.begin(), published_.end(),
                                  [&](const policy::Publication& other) { return other.host_port == host_port; });
  if (found == published_.end()) return make_error(ErrorKind::usage, cat("port ", host_port, " is not published"));
  AGENTCTL_TRY_VOID(send_descriptors(socket_.get(), cat(host_port), {}));
  published_.erase(found);
  return {};
}

}  // namespace agentctl::egress
