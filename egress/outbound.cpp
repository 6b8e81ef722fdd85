// SPDX-License-Identifier: Apache-2.0
#include "egress/outbound.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "egress/socket_address.h"

namespace agentctl::egress {
namespace {

using policy::Endpoint;
using policy::HostName;
using policy::IpAddress;

constexpr std::uint64_t kOthersLeftUsec = 2'000'000, kLastUsec = 20'000'000, kTunnelUsec = 30'000'000;

Denial failure(const Endpoint& endpoint, Reason reason, std::string detail) {
  return {.reason = reason, .asked = to_string(endpoint), .rule = {}, .detail = std::move(detail), .allow = {}};
}

UniqueFd make_socket(int family) {
  UniqueFd made(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (!made.valid()) return made;
  (void)::setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  (void)::setsockopt(made.get(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);  // routers forget what is quiet
  return made;
}

}  // namespace

Outbound::Outbound(const Outside& outside, Permit permit)
    : outside_(outside),
      permit_(std::move(permit)),
      uses_upstream_(outside.upstream && !outside.direct_hosts.contain(permit_.endpoint)) {}

Outbound::~Outbound() {
  stop_waiting();
  if (ask_ != 0) outside_.resolver.forget(ask_);
}

const Upstream* Outbound::upstream() const { return uses_upstream_ ? &*outside_.upstream : nullptr; }

const Endpoint& Outbound::next_hop() const { return uses_upstream_ ? outside_.upstream->endpoint : permit_.endpoint; }

void Outbound::prepare(WhenPrepared then) {
  when_prepared_ = std::move(then);
  if (const auto* address = std::get_if<IpAddress>(&next_hop().host)) {
    return on_resolved(std::vector<IpAddress>{*address});
  }
  ask_ = outside_.resolver.look_up(std::get<HostName>(next_hop().host), [this](const auto& found) {
    ask_ = 0;
    on_resolved(found);
  });
}

void Outbound::on_resolved(const Result<std::vector<IpAddress>>& found) {
  if (!found) {
    const bool is_late = found.error().sys_errno == ETIMEDOUT;
    std::string detail =
        cat(uses_upstream_ ? "the upstream proxy" : "the name", " cannot be looked up: ", found.error().message);
    return prepared(failure(permit_.endpoint, is_late ? Reason::timed_out : Reason::unresolved, std::move(detail)));
  }
  if (uses_upstream_) {  // whom the user's own environment names: what stands behind it is looked up there
    targets_ = *found;
    return prepared(targets_.empty() ? std::optional(failure(permit_.endpoint, Reason::unresolved,
                                                             "the upstream proxy has no address"))
                                     : std::nullopt);
  }
  const HostNetworks* networks = outside_.networks.look();
  if (networks == nullptr) {
    return prepared(failure(permit_.endpoint, Reason::private_address, "this machine's own networks are not known"));
  }
  auto chosen = choose_targets(outside_.rules, *networks, permit_, *found);
  if (auto* denial = std::get_if<Denial>(&chosen)) return prepared(std::move(*denial));
  targets_ = std::move(std::get<std::vector<IpAddress>>(chosen));
  prepared(std::nullopt);
}

void Outbound::prepared(std::optional<Denial> denial) { std::exchange(when_prepared_, nullptr)(std::move(denial)); }

void Outbound::connect(bool tunnel, WhenConnected then) {
  tunnel_ = tunnel;
  when_connected_ = std::move(then);
  try_next();
}

void Outbound::stop_waiting() {
  if (timer_ != 0) outside_.loop.cancel(std::exchange(timer_, 0));
  if (socket_.valid()) outside_.loop.forget(socket_.get());
}

void Outbound::try_next() {
  stop_waiting();
  socket_.reset();
  if (tried_ == targets_.size()) {
    const bool is_late = last_error_ == ETIMEDOUT;
    return fail(
        is_late ? Reason::timed_out : Reason::unreachable,
        cat("cannot connect to ", to_string(Endpoint{*address_, next_hop().port}), ": ", std::strerror(last_error_)));
  }
  address_ = targets_[tried_++];
  const SocketAddress place(*address_, next_hop().port);
  socket_ = make_socket(place.family());
  if (!socket_.valid() || (::connect(socket_.get(), place.get(), place.size()) != 0 && errno != EINPROGRESS)) {
    last_error_ = errno;
    return try_next();
  }
  outside_.loop.watch(socket_.get(), POLLOUT, [this](short) { on_writable(); });
  timer_ = outside_.loop.after(tried_ < targets_.size() ? kOthersLeftUsec : kLastUsec, [this] {
    timer_ = 0;
    last_error_ = ETIMEDOUT;
    try_next();
  });
}

void Outbound::on_writable() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) {
    last_error_ = error;
    return try_next();
  }
  if (uses_upstream_ && tunnel_) return ask_for_tunnel();
  connected({});
}

void Outbound::ask_for_tunnel() {
  stop_waiting();
  const std::string head = connect_head(permit_.endpoint, outside_.upstream->login);
  // It fits any socket's buffer: nothing was sent before.
  if (::send(socket_.get(), head.data(), head.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(head.size())) {
    return fail(Reason::unreachable, "the upstream proxy hung up");
  }
  outside_.loop.watch(socket_.get(), POLLIN, [this](short) { on_tunnel_answer(); });
  timer_ = outside_.loop.after(kTunnelUsec, [this] {
    timer_ = 0;
    fail(Reason::timed_out, "the upstream proxy does not answer");
  });
}

void Outbound::on_tunnel_answer() {
  std::array<char, 16384> bytes;  // NOLINT: filled by recv
  const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return fail(Reason::unreachable, "the upstream proxy hung up");
  const std::string_view all(bytes.data(), static_cast<std::size_t>(size));
  const std::size_t taken = answer_.feed(all);
  if (answer_.state() == HttpStatusReader::State::more) return;
  if (answer_.state() == HttpStatusReader::State::refused) {
    return fail(Reason::unreachable, "the upstream proxy does not answer in HTTP");
  }
  constexpr unsigned kLogin = 407;
  if (answer_.status() == kLogin) return fail(Reason::unreachable, "the upstream proxy wants another login");
  if (answer_.status() / 100 != 2) {
    return fail(Reason::unreachable, cat("the upstream proxy refuses it (", answer_.status(), ")"));
  }
  connected(std::string(all.substr(taken)));
}

void Outbound::connected(std::string arrived) {
  stop_waiting();
  std::exchange(when_connected_, nullptr)(Connected{std::move(socket_), std::move(arrived)});
}

void Outbound::fail(Reason reason, std::string detail) {
  stop_waiting();
  socket_.reset();
  std::exchange(when_connected_, nullptr)(failure(permit_.endpoint, reason, std::move(detail)));
}

}  // namespace agentctl::egress
