// SPDX-License-Identifier: Apache-2.0
#include "manager/control_server.h"

#include <poll.h>

#include <utility>

#include "base/log.h"
#include "manager/control_socket.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kRequestDeadlineUsec = 500'000;

}  // namespace

ControlServer::ControlServer(EventLoop& loop, int listener, Handler handler)
    : loop_(loop), listener_(listener), handler_(std::move(handler)) {
  listen();
}

ControlServer::~ControlServer() {
  while (!waiting_.empty()) take(waiting_.begin()->first);
  if (listening_) loop_.forget(listener_);
}

void ControlServer::listen() {
  const bool has_room = waiting_.size() < kMostWaiting;
  if (has_room == listening_) return;
  listening_ = has_room;
  if (!has_room) return loop_.forget(listener_);
  loop_.watch(listener_, POLLIN, [this](short) { accept_one(); });
}

void ControlServer::accept_one() {
  auto accepted = accept_control(listener_);
  if (!accepted) return log::debug(accepted.error().message);
  const int connection = accepted->get();
  const auto deadline = loop_.after(kRequestDeadlineUsec, [this, connection] {
    take(connection);
    listen();
  });
  waiting_.emplace(connection, Waiting{std::move(*accepted), deadline});
  loop_.watch(connection, POLLIN, [this, connection](short) { hear(connection); });
  listen();
}

void ControlServer::hear(int connection) {
  const auto text = read_request(connection);
  UniqueFd owned = take(connection);
  listen();
  if (!text) return log::debug(text.error().message);
  handler_(std::move(owned), *text);
}

UniqueFd ControlServer::take(int connection) {
  const auto entry = waiting_.find(connection);
  loop_.forget(connection);
  loop_.cancel(entry->second.deadline);
  UniqueFd owned = std::move(entry->second.connection);
  waiting_.erase(entry);
  return owned;
}

}  // namespace agentctl::manager
