// SPDX-License-Identifier: Apache-2.0
#include "egress/name_queries.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "egress/socket_address.h"

namespace agentctl::egress {
namespace {

constexpr std::uint16_t kNamePort = 53;
constexpr std::size_t kMostQueries = 256;
constexpr std::size_t kHeaderBytes = 12;  // of every message
constexpr std::size_t kMostBytes = 65535;
constexpr std::uint64_t kServerUsec = 2'000'000;
constexpr int kMostAtOnce = 32;

bool has_same_number(std::string_view one, std::string_view other) { return one.substr(0, 2) == other.substr(0, 2); }

}  // namespace

NameQueries::NameQueries(EventLoop& loop, const UniqueFd& socket, NameServers& servers)
    : loop_(loop), socket_(socket), servers_(servers) {
  loop_.watch(socket_.get(), POLLIN, [this](short) {
    for (int count = 0; count < kMostAtOnce; ++count) on_query();
  });
}

void NameQueries::on_query() {
  auto query = std::make_unique<Query>();
  query->text.resize(kMostBytes);
  query->asker_size = sizeof query->asker;
  const ssize_t size = ::recvfrom(socket_.get(), query->text.data(), query->text.size(), MSG_DONTWAIT,
                                  reinterpret_cast<sockaddr*>(&query->asker), &query->asker_size);
  if (size < static_cast<ssize_t>(kHeaderBytes) || queries_.size() >= kMostQueries) return;
  query->text.resize(static_cast<std::size_t>(size));
  query->text.shrink_to_fit();
  queries_.push_back(std::move(query));
  ask_next(*queries_.back());
}

void NameQueries::stop_asking(Query& query) {
  if (query.upstream.valid()) loop_.forget(query.upstream.get());
  if (query.timer != 0) loop_.cancel(query.timer);
  query.timer = 0;
  query.upstream.reset();
}

// A socket for each: the kernel chooses a port that nobody can guess, and lets only the server's own packets in.
void NameQueries::ask_next(Query& query) {
  stop_asking(query);
  while (query.next_server < servers_.list().size()) {
    const SocketAddress server(servers_.list()[query.next_server++], kNamePort);
    query.upstream.reset(::socket(server.family(), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!query.upstream.valid() || ::connect(query.upstream.get(), server.get(), server.size()) != 0 ||
        ::send(query.upstream.get(), query.text.data(), query.text.size(), MSG_NOSIGNAL) < 0) {
      query.upstream.reset();
      continue;
    }
    loop_.watch(query.upstream.get(), POLLIN, [this, &query](short) { on_answer(query); });
    query.timer = loop_.after(kServerUsec, [this, &query] {
      query.timer = 0;
      ask_next(query);
    });
    return;
  }
  drop(query);
}

void NameQueries::on_answer(Query& query) {
  std::array<char, kMostBytes> answer;  // NOLINT: filled by recv
  const ssize_t size = ::recv(query.upstream.get(), answer.data(), answer.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size < 0) return ask_next(query);  // refused: nobody serves there
  const std::string_view text(answer.data(), static_cast<std::size_t>(size));
  if (text.size() < kHeaderBytes || !has_same_number(text, query.text)) return;
  (void)::sendto(socket_.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&query.asker), query.asker_size);
  drop(query);
}

void NameQueries::drop(Query& query) {
  stop_asking(query);
  std::erase_if(queries_, [&](const auto& other) { return other.get() == &query; });
}

}  // namespace agentctl::egress
