// SPDX-License-Identifier: Apache-2.0
#include "manager/sink.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace agentctl::manager {

Sink::Sink(EventLoop& loop, UniqueFd fd)
    : loop_(loop), fd_(std::move(fd)), is_non_blocking_((::fcntl(fd_.get(), F_GETFL) & O_NONBLOCK) != 0) {
  // Without events wanted, poll still tells when the last reader is gone.
  loop_.watch(fd_.get(), 0, [this](short revents) { on_ready(revents); });
}

Sink::~Sink() { close(); }

void Sink::put(std::string_view bytes) {
  if (closed() || bytes.empty()) return;
  const bool was_empty = buffer_.empty();
  buffer_ += bytes;
  if (!was_empty) return;
  if (is_non_blocking_) write_some();
  if (!closed() && !buffer_.empty()) loop_.set_events(fd_.get(), POLLOUT);
}

void Sink::on_ready(short revents) {
  if ((revents & POLLOUT) != 0)
    write_some();
  else if ((revents & (POLLERR | POLLNVAL | POLLHUP)) != 0)
    close();
  if (!closed()) loop_.set_events(fd_.get(), static_cast<short>(buffer_.empty() ? 0 : POLLOUT));
  if (change_) change_();
}

void Sink::write_some() {
  if (closed() || buffer_.empty()) return;
  // What could not be made non-blocking never blocks for PIPE_BUF bytes once poll has called it writable.
  const std::size_t size = is_non_blocking_ ? buffer_.size() : std::min<std::size_t>(buffer_.size(), PIPE_BUF);
  const ssize_t count = ::write(fd_.get(), buffer_.data(), size);
  if (count > 0) buffer_.erase(0, static_cast<std::size_t>(count));
  if (count < 0 && errno != EAGAIN && errno != EINTR) close();
}

void Sink::close() {
  if (closed()) return;
  loop_.forget(fd_.get());
  fd_.reset();
  buffer_.clear();
}

void Sink::drain(std::uint64_t until_usec) {
  while (!closed() && !buffer_.empty()) {
    const std::uint64_t now = monotonic_usec();
    if (now >= until_usec) break;
    pollfd writable{fd_.get(), POLLOUT, 0};
    if (::poll(&writable, 1, static_cast<int>((until_usec - now) / 1000U) + 1) <= 0) break;
    write_some();
  }
  close();
}

}  // namespace agentctl::manager
