// SPDX-License-Identifier: Apache-2.0
#include "manager/session_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "manager/terminal.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kBlock = 16384;  // the kernel gives 4 KiB at a time
constexpr std::size_t kInputRoom = 65536;
constexpr std::size_t kMostInput = 262144;

}  // namespace

Result<std::unique_ptr<SessionTerminal>> SessionTerminal::open(const std::optional<termios>& attributes,
                                                               const winsize& size) {
  Pty pty = AGENTCTL_TRY(open_pty(attributes, size));
  return std::unique_ptr<SessionTerminal>(
      new SessionTerminal(std::move(pty.master), std::move(pty.slave), std::move(pty.name)));
}

SessionTerminal::~SessionTerminal() { close_master(); }

Result<UniqueFd> SessionTerminal::duplicate_master() const {
  UniqueFd copy(::fcntl(master_.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return errno_error("cannot duplicate a descriptor");
  return copy;
}

std::string SessionTerminal::take_early_output(std::size_t most) {
  std::string text;
  while (text.size() < most) {
    char block[4096];
    const ssize_t count = ::read(master_.get(), block, sizeof block);
    if (count <= 0) break;
    text.append(block, static_cast<std::size_t>(count));
  }
  return text;
}

void SessionTerminal::connect(EventLoop& loop, std::function<void(std::string_view)> reader) {
  loop_ = &loop;
  reader_ = std::move(reader);
  loop.watch(master_.get(), POLLIN, [this](short) { read_some(); });
}

void SessionTerminal::hold(bool held) {
  if (loop_ != nullptr && master_.valid()) loop_->set_events(master_.get(), static_cast<short>(held ? 0 : POLLIN));
}

bool SessionTerminal::read_some() {
  if (!master_.valid()) return false;
  std::array<char, kBlock> block;  // NOLINT: filled by read
  const ssize_t count = ::read(master_.get(), block.data(), block.size());
  if (count > 0) {
    reader_({block.data(), static_cast<std::size_t>(count)});
    return true;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  close_master();  // EIO is a pty's way to say that its last slave is closed
  return false;
}

void SessionTerminal::read_rest() {
  while (read_some()) {
  }
}

void SessionTerminal::close_master() {
  if (!master_.valid()) return;
  if (loop_ != nullptr) loop_->forget(master_.get());
  master_.reset();
}

void SessionTerminal::type(std::string_view bytes) {
  if (!master_.valid() || loop_ == nullptr) return;
  if (!input_) {
    auto copy = duplicate_master();
    if (!copy) return;
    input_.emplace(*loop_, std::move(*copy));
    input_->on_change([this] {
      if (input_room_ && has_input_room()) input_room_();
    });
  }
  if (input_->waiting() < kMostInput) input_->put(bytes);
}

bool SessionTerminal::has_input_room() const { return !input_ || input_->waiting() < kInputRoom; }

void SessionTerminal::set_size(const winsize& size) {
  if (master_.valid()) ::ioctl(master_.get(), TIOCSWINSZ, &size);
}

winsize SessionTerminal::size() const {
  winsize size{};
  if (master_.valid()) ::ioctl(master_.get(), TIOCGWINSZ, &size);
  return size;
}

}  // namespace agentctl::manager
