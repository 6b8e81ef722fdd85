// SPDX-License-Identifier: Apache-2.0
#include "manager/pump.h"

#include <limits.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace agentctl::manager {
namespace {

constexpr std::size_t kRoom = 65536;

// Of our own session: the master of another's pty has a foreground process group as well, which is never ours.
bool is_background_terminal(int fd) { return ::tcgetsid(fd) == ::getsid(0) && ::tcgetpgrp(fd) != ::getpgrp(); }

}  // namespace

Pump::Pump(EventLoop& loop, UniqueFd source, UniqueFd sink)
    : loop_(loop), source_(std::move(source)), sink_(std::move(sink)) {}

Pump::~Pump() {
  if (source_.valid()) loop_.forget(source_.get());
  if (sink_.valid()) loop_.forget(sink_.get());
}

void Pump::start() {
  loop_.watch(source_.get(), POLLIN, [this](short revents) { on_source(revents); });
  // Without events wanted, poll still tells when the last reader of the sink is gone.
  loop_.watch(sink_.get(), 0, [this](short revents) { on_sink(revents); });
}

void Pump::resume() {
  if (!paused_ || !source_.valid()) return;
  paused_ = false;
  loop_.watch(source_.get(), POLLIN, [this](short revents) { on_source(revents); });
}

void Pump::on_source(short) {
  if (read_some()) write_some();
  update_interest();
}

void Pump::on_sink(short revents) {
  if ((revents & (POLLERR | POLLNVAL)) != 0) return close_all();
  write_some();
  update_interest();
}

bool Pump::read_some() {
  const std::size_t before = buffer_.size();
  if (before >= kRoom) return false;
  buffer_.resize(kRoom);
  const ssize_t count = ::read(source_.get(), buffer_.data() + before, kRoom - before);
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count > 0) {
    if (discards_) buffer_.resize(before);
    if (activity_) activity_();
    return true;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count < 0 && errno == EIO && is_background_terminal(source_.get())) {
    loop_.forget(source_.get());
    paused_ = true;
    return false;
  }
  close_source();  // end of file; EIO is a pty's way to say that its last slave is closed
  return false;
}

void Pump::write_some() {
  if (!sink_.valid() || buffer_.empty()) return;
  // A sink that could not be made non-blocking never blocks for PIPE_BUF bytes once poll has called it writable.
  const ssize_t count = ::write(sink_.get(), buffer_.data(), std::min<std::size_t>(buffer_.size(), PIPE_BUF));
  if (count > 0) buffer_.erase(0, static_cast<std::size_t>(count));
  if (count < 0 && errno != EAGAIN && errno != EINTR) close_all();
}

void Pump::close_source() {
  if (!source_.valid()) return;
  loop_.forget(source_.get());
  source_.reset();
}

void Pump::close_all() {
  close_source();
  if (!sink_.valid()) return;
  loop_.forget(sink_.get());
  sink_.reset();
  buffer_.clear();
}

void Pump::update_interest() {
  if (sink_.valid()) {
    if (!source_.valid() && buffer_.empty()) return close_all();  // passes the end of file on
    loop_.set_events(sink_.get(), static_cast<short>(buffer_.empty() ? 0 : POLLOUT));
  }
  if (source_.valid() && !paused_)
    loop_.set_events(source_.get(), static_cast<short>(buffer_.size() < kRoom ? POLLIN : 0));
}

void Pump::drain(std::uint64_t deadline_usec) {
  const std::uint64_t deadline = monotonic_usec() + deadline_usec;
  while (sink_.valid() && (source_.valid() || !buffer_.empty())) {
    if (source_.valid() && buffer_.size() < kRoom) {
      pollfd readable{source_.get(), POLLIN, 0};
      if (::poll(&readable, 1, 0) <= 0)
        close_source();  // the writers are gone: what is not there will not come
      else
        read_some();
    }
    if (buffer_.empty()) continue;
    const std::uint64_t now = monotonic_usec();
    if (now >= deadline) break;
    pollfd writable{sink_.get(), POLLOUT, 0};
    if (::poll(&writable, 1, static_cast<int>((deadline - now) / 1000U) + 1) <= 0) break;
    write_some();
  }
  close_all();
}

}  // namespace agentctl::manager
