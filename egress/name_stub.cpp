// SPDX-License-Identifier: Apache-2.0
#include "egress/name_stub.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "egress/dns_answer.h"
#include "egress/listener_rest.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kMostConnections = 32;
constexpr int kMostAtOnce = 32;  // queries, before others have their turn
constexpr std::uint64_t kIdleUsec = 20'000'000;

}  // namespace

NameStub::NameStub(EventLoop& loop, const UniqueFd& queries, const UniqueFd& connections, const AccessList& rules,
                   FakeAddresses& fakes, NetLog& log, DoorTally& tally)
    : loop_(loop), queries_(queries), listener_(connections), rules_(rules), fakes_(fakes), log_(log), tally_(tally) {
  loop_.watch(queries_.get(), POLLIN, [this](short) { on_queries(); });
  loop_.watch(listener_.get(), POLLIN, [this](short) { on_connection(); });
}

std::optional<std::string> NameStub::answer(std::string_view message) {
  const auto query = read_dns_query(message);
  if (!query) return std::nullopt;
  DnsAnswer made = answer_dns(rules_, fakes_, *query);
  if (made.denial) {
    tally_.count_denied(*made.denial);
    NetEvent event;
    event.time_usec = realtime_usec();
    event.protocol = Protocol::dns;
    event.host = made.denial->asked;
    event.rule = made.denial->rule;
    event.denial = std::move(made.denial);
    log_.add(std::move(event));
  }
  return std::move(made.message);
}

void NameStub::on_queries() {
  for (int count = 0; count < kMostAtOnce; ++count) {
    std::array<char, kLargestDnsQuery> bytes;  // NOLINT: filled by recvfrom
    sockaddr_storage asker{};
    socklen_t size_of_asker = sizeof asker;
    const ssize_t size = ::recvfrom(queries_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_TRUNC,
                                    reinterpret_cast<sockaddr*>(&asker), &size_of_asker);
    if (size < 0) return;
    if (static_cast<std::size_t>(size) > bytes.size()) continue;  // no query of good will is that long
    const auto said = answer({bytes.data(), static_cast<std::size_t>(size)});
    if (!said) continue;
    (void)::sendto(queries_.get(), said->data(), said->size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&asker), size_of_asker);
  }
}

void NameStub::on_connection() {
  UniqueFd made(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!made.valid() && is_out_of_descriptors(errno)) return rest_listener(loop_, listener_.get());
  if (!made.valid() || connections_.size() >= kMostConnections) return;
  connections_.emplace_back();
  const Place place = std::prev(connections_.end());
  place->socket = std::move(made);
  place->timer = loop_.after(kIdleUsec, [this, place] {
    place->timer = 0;
    close(place);
  });
  loop_.watch(place->socket.get(), POLLIN, [this, place](short) { on_bytes(place); });
}

void NameStub::on_bytes(Place connection) {
  std::array<char, 4096> bytes;  // NOLINT: filled by recv
  const ssize_t size = ::recv(connection->socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return close(connection);
  connection->stream.feed({bytes.data(), static_cast<std::size_t>(size)});
  while (const auto message = connection->stream.next()) {
    const auto said = answer(*message);
    const std::string framed = said ? framed_dns(*said) : std::string();
    // Who asks and does not read has asked enough.
    if (::send(connection->socket.get(), framed.data(), framed.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
        static_cast<ssize_t>(framed.size())) {
      return close(connection);
    }
  }
  if (connection->stream.is_broken()) close(connection);
}

void NameStub::close(Place connection) {
  if (connection->timer != 0) loop_.cancel(connection->timer);
  loop_.forget(connection->socket.get());
  connections_.erase(connection);
}

}  // namespace agentctl::egress
