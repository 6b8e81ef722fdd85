// SPDX-License-Identifier: Apache-2.0
#include "egress/relay_way.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace agentctl::egress {
namespace {

constexpr std::size_t kRoom = 65536;
constexpr std::uint64_t kCopiedFirst = std::uint64_t{256} * 1024;
constexpr unsigned kSpliceFlags = SPLICE_F_MOVE | SPLICE_F_NONBLOCK;

bool must_wait(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

RelayWay::~RelayWay() {
  if (pipe_) pipes_->give_back(std::move(*pipe_));
}

bool RelayWay::pass_on() {
  do {
    if (!read_some() || !write_some()) return false;
  } while (from_is_gone_ && !has_ended_ && !is_waiting());
  return true;
}

bool RelayWay::read_some() {
  if (has_ended_ || is_waiting()) return true;
  return pipes_ != nullptr && !look_ && copied_ >= kCopiedFirst ? splice_some() : copy_some();
}

bool RelayWay::copy_some() {
  std::array<char, kRoom> room;  // NOLINT: filled by recv
  const ssize_t size = ::recv(from_, room.data(), room.size(), MSG_DONTWAIT);
  if (size <= 0) return note_nothing_read(size == 0 ? 0 : errno);
  const std::string_view bytes(room.data(), static_cast<std::size_t>(size));
  if (look_) {
    look_(bytes, waiting_);
    return true;
  }
  copied_ += bytes.size();
  const ssize_t sent = ::send(to_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && !must_wait(errno)) return false;
  const std::size_t done = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  passed_ += done;
  waiting_ = bytes.substr(done);
  return true;
}

bool RelayWay::splice_some() {
  std::optional<SplicePipe> pipe = pipes_->take();
  if (!pipe) {
    copied_ = 0;  // another time
    return copy_some();
  }
  const ssize_t size = ::splice(from_, nullptr, pipe->write_end.get(), nullptr, pipe->size, kSpliceFlags);
  const int error = size < 0 ? errno : 0;
  if (size > 0) {
    pipe->filled = static_cast<std::size_t>(size);
    pipe_ = std::move(pipe);
    return true;
  }
  pipes_->give_back(std::move(*pipe));
  if (error == EINVAL || error == ENOSYS) {  // not these sockets, or not this kernel
    pipes_ = nullptr;
    return copy_some();
  }
  return note_nothing_read(error);
}

// 0 is the end of input. There may be something later where there is nothing now, but not from one that is gone.
bool RelayWay::note_nothing_read(int error) {
  has_ended_ = error == 0 || (from_is_gone_ && error == EAGAIN);
  return has_ended_ || must_wait(error);
}

bool RelayWay::write_some() {
  if (!write_waiting() || !write_pipe()) return false;
  if (is_through() && !is_over_) {
    is_over_ = true;
    ::shutdown(to_, SHUT_WR);
  }
  return true;
}

bool RelayWay::write_waiting() {
  if (waiting_.empty()) return true;
  const std::string_view bytes = std::string_view(waiting_).substr(written_);
  const ssize_t size = ::send(to_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (size < 0) return must_wait(errno);
  written_ += static_cast<std::size_t>(size);
  passed_ += static_cast<std::uint64_t>(size);
  if (written_ < waiting_.size()) return true;
  written_ = 0;
  std::string().swap(waiting_);  // gives its memory back, too
  return true;
}

bool RelayWay::write_pipe() {
  if (!pipe_) return true;
  const ssize_t size = ::splice(pipe_->read_end.get(), nullptr, to_, nullptr, pipe_->filled, kSpliceFlags);
  if (size <= 0) return size < 0 && must_wait(errno);
  passed_ += static_cast<std::uint64_t>(size);
  pipe_->filled -= static_cast<std::size_t>(size);
  if (pipe_->filled > 0) return true;
  pipes_->give_back(*std::exchange(pipe_, std::nullopt));
  return true;
}

short RelayWay::wanted_from() const { return has_ended_ || is_waiting() ? short{0} : short{POLLIN}; }

short RelayWay::wanted_to() const { return is_waiting() ? short{POLLOUT} : short{0}; }

}  // namespace agentctl::egress
