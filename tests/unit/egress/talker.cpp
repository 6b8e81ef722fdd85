// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/egress/talker.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>
#include <utility>

namespace agentctl::egress {
namespace {

constexpr std::size_t kPeriod = 1'000'003;  // a prime: no buffer's size divides it
constexpr std::size_t kMostAtOnce = 256 * 1024;

const std::string& all_bytes() {
  static const std::string bytes = [] {
    std::minstd_rand random(7);
    std::string made(kPeriod, '\0');
    for (char& byte : made) byte = static_cast<char>(random() & 0xffU);
    return made;
  }();
  return bytes;
}

}  // namespace

std::string_view voice_bytes(unsigned voice, std::uint64_t position) {
  return std::string_view(all_bytes()).substr((position + std::uint64_t{voice} * 7919) % kPeriod);
}

std::string said_by(unsigned voice, std::size_t size) {
  std::string said;
  while (said.size() < size) said += voice_bytes(voice, said.size()).substr(0, size - said.size());
  return said;
}

Talker::Talker(EventLoop& loop, UniqueFd socket, Speech speech, unsigned hears)
    : loop_(loop), socket_(std::move(socket)), speech_(speech), hears_(hears) {
  loop_.watch(socket_.get(), 0, [this](short revents) { on_ready(revents); });
  update_interest();
}

Talker::~Talker() { close(); }

void Talker::say(Speech speech) {
  speech_ = speech;
  said_ = 0;
  has_ended_ = false;
  update_interest();
}

void Talker::read_at_most(std::size_t bytes) {
  most_read_ = bytes;
  update_interest();
}

void Talker::expect(std::string words) { words_ = std::move(words); }

void Talker::close() {
  if (!socket_.valid()) return;
  loop_.forget(socket_.get());
  socket_.reset();
}

void Talker::reset() {
  const linger at_once{1, 0};
  (void)::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void Talker::on_ready(short revents) {
  if ((revents & POLLOUT) != 0) speak();
  if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0 && most_read_ > 0) listen();
  update_interest();
}

void Talker::speak() {
  if (!has_said_all()) {
    const std::string_view bytes = voice_bytes(speech_.voice, said_);
    const std::size_t some = std::min<std::uint64_t>({bytes.size(), kMostAtOnce, speech_.size - said_});
    const ssize_t size = ::send(socket_.get(), bytes.data(), some, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size > 0) said_ += static_cast<std::uint64_t>(size);
    if (size < 0 && errno != EAGAIN && errno != EINTR) heard_reset_ = true;
  }
  if (has_said_all() && speech_.ends && !has_ended_) {
    has_ended_ = true;
    ::shutdown(socket_.get(), SHUT_WR);
  }
}

void Talker::listen() {
  std::array<char, 65536> room;  // NOLINT: filled by recv
  const ssize_t size = ::recv(socket_.get(), room.data(), std::min(most_read_, room.size()), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  heard_reset_ = heard_reset_ || size < 0;
  heard_end_ = heard_end_ || size == 0;
  if (size <= 0) return;
  heard_other_ = heard_other_ || !is_expected({room.data(), static_cast<std::size_t>(size)});
}

bool Talker::is_expected(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view expected =
        heard_ < words_.size() ? std::string_view(words_).substr(heard_) : voice_bytes(hears_, heard_ - words_.size());
    const std::size_t some = std::min(bytes.size(), expected.size());
    if (bytes.substr(0, some) != expected.substr(0, some)) return false;
    heard_ += some;
    bytes.remove_prefix(some);
  }
  return true;
}

void Talker::update_interest() {
  if (heard_reset_ || (heard_end_ && has_ended_)) return loop_.forget(socket_.get());  // else told of it for ever
  const bool speaks = !has_said_all() || (speech_.ends && !has_ended_);
  const bool listens = most_read_ > 0 && !heard_end_ && !heard_reset_;
  loop_.set_events(socket_.get(), static_cast<short>((speaks ? POLLOUT : 0) | (listens ? POLLIN : 0)));
}

}  // namespace agentctl::egress
