// SPDX-License-Identifier: Apache-2.0
#include "manager/attached_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace agentctl::manager {
namespace {

constexpr std::size_t kMostWaiting = 1U << 20;

}  // namespace

AttachedClient::AttachedClient(EventLoop& loop, UniqueFd connection, const AttachRequest& request, unsigned number,
                               Callbacks callbacks)
    : loop_(loop),
      connection_(std::move(connection)),
      callbacks_(std::move(callbacks)),
      size_(request.size),
      read_only_(request.read_only),
      number_(number) {
  loop_.watch(connection_.get(), POLLIN, [this](short revents) { on_ready(revents); });
}

AttachedClient::~AttachedClient() { loop_.forget(connection_.get()); }

void AttachedClient::on_ready(short revents) {
  if ((revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0 && !hear()) {
    const auto on_gone = callbacks_.on_gone;  // outlives us
    return on_gone(*this);
  }
  if ((revents & POLLOUT) != 0) {
    send_waiting();
    update_interest();
    if (lags_ && waiting_.empty()) {
      lags_ = false;
      callbacks_.on_caught_up(*this);
    }
  }
}

bool AttachedClient::hear() {
  std::array<char, kMostMessageBytes> bytes;  // NOLINT: filled by recv
  const ssize_t count = ::recv(connection_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  if (const auto message = parse_message({bytes.data(), static_cast<std::size_t>(count)})) {
    callbacks_.on_message(*this, *message);
  }
  return true;
}

void AttachedClient::show(std::string_view output) {
  if (lags_) return;
  if (waiting_bytes_ + output.size() > kMostWaiting) {
    lags_ = true;
    std::erase_if(waiting_,
                  [](const std::string& message) { return message[0] == static_cast<char>(MessageKind::output); });
    waiting_bytes_ = 0;
    for (const std::string& message : waiting_) waiting_bytes_ += message.size();
    return update_interest();
  }
  while (!output.empty()) {
    const std::string_view part = output.substr(0, kMostMessageBytes - 1);
    send(MessageKind::output, part);
    output.remove_prefix(part.size());
  }
}

void AttachedClient::send(MessageKind kind, std::string_view body) {
  waiting_.push_back(format_message(kind, body.substr(0, kMostMessageBytes - 1)));
  waiting_bytes_ += waiting_.back().size();
  send_waiting();
  update_interest();
}

void AttachedClient::send_waiting() {
  while (!waiting_.empty()) {
    const std::string& message = waiting_.front();
    if (::send(connection_.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
    waiting_bytes_ -= message.size();
    waiting_.pop_front();
  }
}

void AttachedClient::update_interest() {
  const bool wants_room = !waiting_.empty() || lags_;
  loop_.set_events(connection_.get(), static_cast<short>((is_held_ ? 0 : POLLIN) | (wants_room ? POLLOUT : 0)));
}

void AttachedClient::hold(bool held) {
  is_held_ = held;
  update_interest();
}

void AttachedClient::drain(std::uint64_t until_usec) {
  while (!waiting_.empty()) {
    const std::uint64_t now = monotonic_usec();
    if (now >= until_usec) return;
    pollfd writable{connection_.get(), POLLOUT, 0};
    if (::poll(&writable, 1, static_cast<int>((until_usec - now) / 1000U) + 1) <= 0) return;
    if ((writable.revents & (POLLERR | POLLHUP)) != 0) return;
    send_waiting();
  }
}

}  // namespace agentctl::manager
