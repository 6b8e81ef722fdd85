// SPDX-License-Identifier: Apache-2.0
#include "egress/stream_relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace agentctl::egress {
namespace {

constexpr std::size_t kRoom = 65536;

bool must_wait(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

StreamRelay::StreamRelay(EventLoop& loop, UniqueFd near, UniqueFd far, std::function<void()> ended)
    : loop_(loop),
      near_(std::move(near)),
      far_(std::move(far)),
      ways_{{{near_.get(), far_.get(), {}}, {far_.get(), near_.get(), {}}}},
      ended_(std::move(ended)) {
  for (const int fd : {near_.get(), far_.get()}) {
    loop_.watch(fd, 0, [this, fd](short revents) { on_ready(fd, revents); });
  }
  update_interest();
}

StreamRelay::~StreamRelay() {
  loop_.forget(near_.get());
  loop_.forget(far_.get());
}

void StreamRelay::on_ready(int fd, short revents) {
  if (fd == far_.get() && is_connecting_) {
    if ((revents & (POLLOUT | POLLERR | POLLHUP)) == 0) return;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return finish();
    is_connecting_ = false;
  }
  if ((revents & (POLLERR | POLLHUP)) != 0) note_gone(fd);
  for (Way& way : ways_) {
    if (!pass_on(way)) return finish();
  }
  const auto is_through = [](const Way& way) { return way.has_ended && way.waiting.empty(); };
  for (const Way& way : ways_) {
    if (way.from_is_gone && is_through(way)) return finish();
  }
  if (ways_[0].is_over && ways_[1].is_over) return finish();
  update_interest();
}

// Nothing can be brought to it any more, and poll(2) would say so for as long as it is asked. What it has sent before
// can still be read, without waiting.
void StreamRelay::note_gone(int fd) {
  loop_.forget(fd);
  for (Way& way : ways_) {
    if (way.from == fd) way.from_is_gone = true;
  }
}

// False: the connection is broken.
bool StreamRelay::pass_on(Way& way) {
  do {
    if (!read_some(way) || !write_some(way)) return false;
  } while (way.from_is_gone && !way.has_ended && way.waiting.empty());
  return true;
}

// False: the connection is broken.
bool StreamRelay::read_some(Way& way) {
  if (way.has_ended || !way.waiting.empty() || (is_connecting_ && way.from == far_.get())) return true;
  std::array<char, kRoom> room;  // NOLINT: filled by recv
  const ssize_t size = ::recv(way.from, room.data(), room.size(), MSG_DONTWAIT);
  if (size < 0 && !must_wait(errno)) return false;
  if (size == 0 || (size < 0 && way.from_is_gone)) way.has_ended = true;
  if (size < 0) return true;
  way.waiting.assign(room.data(), static_cast<std::size_t>(size));
  way.written = 0;
  return true;
}

bool StreamRelay::write_some(Way& way) {
  if (is_connecting_ && way.to == far_.get()) return true;
  if (!way.waiting.empty()) {
    const ssize_t size =
        ::send(way.to, way.waiting.data() + way.written, way.waiting.size() - way.written, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0) return must_wait(errno);
    way.written += static_cast<std::size_t>(size);
    way.passed += static_cast<std::uint64_t>(size);
    if (way.written == way.waiting.size()) way.waiting.clear();
  }
  if (way.has_ended && way.waiting.empty() && !way.is_over) {
    way.is_over = true;
    ::shutdown(way.to, SHUT_WR);
  }
  return true;
}

void StreamRelay::update_interest() {
  for (const int fd : {near_.get(), far_.get()}) {
    short events = 0;
    for (const Way& way : ways_) {
      if (way.from == fd && !way.has_ended && way.waiting.empty()) events |= POLLIN;
      if (way.to == fd && !way.waiting.empty()) events |= POLLOUT;
    }
    if (fd == far_.get() && is_connecting_) events = POLLOUT;
    loop_.set_events(fd, events);
  }
}

void StreamRelay::finish() {
  const auto ended = std::exchange(ended_, nullptr);
  loop_.forget(near_.get());
  loop_.forget(far_.get());
  if (ended) ended();
}

}  // namespace agentctl::egress
