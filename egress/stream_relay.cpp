// SPDX-License-Identifier: Apache-2.0
#include "egress/stream_relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace agentctl::egress {

StreamRelay::StreamRelay(EventLoop& loop, UniqueFd near, UniqueFd far, std::function<void(RelayEnd)> ended,
                         RelayStart start)
    : loop_(loop),
      near_(std::move(near)),
      far_(std::move(far)),
      gate_(std::move(start.gate)),
      out_(near_.get(), far_.get(), std::move(start.to_far), start.pipes),
      in_(far_.get(), near_.get(), std::move(start.to_near), start.pipes),
      ended_(std::move(ended)) {
  if (gate_) {
    out_.look_with([this](std::string_view bytes, std::string& out) { gate_->pass(bytes, out); });
    in_.look_with([this](std::string_view bytes, std::string& out) {
      gate_->look_at_answer(bytes);
      out += bytes;
    });
  }
  for (const int fd : {near_.get(), far_.get()}) {
    loop_.watch(fd, fd == far_.get() ? POLLOUT : 0, [this, fd](short revents) { on_ready(fd, revents); });
  }
}

StreamRelay::~StreamRelay() {
  loop_.forget(near_.get());
  loop_.forget(far_.get());
}

void StreamRelay::on_ready(int fd, short revents) {
  if (fd == far_.get() && is_connecting_ && !finish_connect()) return finish(RelayEnd::no_connection);
  if ((revents & (POLLERR | POLLHUP)) != 0) note_gone(fd);
  if (is_connecting_) return;
  for (RelayWay* way : {&out_, &in_}) {
    const bool stands = way->pass_on();
    if (!ask_gate()) return finish(RelayEnd::refused);
    if (!stands) return finish(RelayEnd::broken);
  }
  for (const RelayWay* way : {&out_, &in_}) {
    if (way->from_is_gone() && way->is_through()) return finish(RelayEnd::over);
  }
  if (out_.is_over() && in_.is_over()) return finish(RelayEnd::over);
  update_interest();
}

bool StreamRelay::finish_connect() {
  socklen_t size = sizeof connect_error_;
  if (::getsockopt(far_.get(), SOL_SOCKET, SO_ERROR, &connect_error_, &size) != 0) connect_error_ = errno;
  is_connecting_ = false;
  return connect_error_ == 0;
}

// Nothing can be brought to it any more, and the kernel would say so for as long as it is asked. What it has sent
// before can still be read.
void StreamRelay::note_gone(int fd) {
  loop_.forget(fd);
  for (RelayWay* way : {&out_, &in_}) {
    if (way->from() == fd) way->note_gone();
  }
}

// False: it has refused. What it holds back of one who has ended can become nothing whole, and never goes on.
bool StreamRelay::ask_gate() {
  if (!gate_) return true;
  if (gate_->state() == RelayGate::State::refused) return false;
  const bool is_over = gate_->state() == RelayGate::State::over;
  if (is_over || out_.has_ended() || !gate_->looks_at_answer()) in_.look_with(nullptr);
  if (!is_over && !out_.has_ended()) return true;
  if (!out_.has_ended()) gate_->pass({}, out_.waiting());
  out_.look_with(nullptr);
  gate_.reset();
  return true;
}

void StreamRelay::update_interest() {
  loop_.set_events(near_.get(), static_cast<short>(out_.wanted_from() | in_.wanted_to()));
  loop_.set_events(far_.get(), static_cast<short>(in_.wanted_from() | out_.wanted_to()));
}

void StreamRelay::finish(RelayEnd end) {
  const auto ended = std::exchange(ended_, nullptr);
  loop_.forget(near_.get());
  loop_.forget(far_.get());
  if (ended) ended(end);
}

}  // namespace agentctl::egress
