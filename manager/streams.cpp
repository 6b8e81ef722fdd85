// SPDX-License-Identifier: Apache-2.0
#include "manager/streams.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>

#include "base/file.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kDrainUsec = 5'000'000;  // how long the rest of the output may wait for a slow reader
constexpr std::size_t kMaxEarlyOutput = 16384;

Result<UniqueFd> duplicate(int fd) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return errno_error("cannot duplicate a descriptor");
  return copy;
}

Result<void> make_non_blocking(int fd) {
  if (::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) return errno_error("cannot make a pipe non-blocking");
  return {};
}

// A pipe from the child to us.
Result<void> output_pipe(UniqueFd& child_end, UniqueFd& our_end) {
  Pipe pipe = AGENTCTL_TRY(make_pipe());
  AGENTCTL_TRY_VOID(make_non_blocking(pipe.read_end.get()));
  child_end = std::move(pipe.write_end);
  our_end = std::move(pipe.read_end);
  return {};
}

std::unique_ptr<Pump> start_pump(EventLoop& loop, UniqueFd source, UniqueFd sink) {
  if (!source.valid() || !sink.valid()) return nullptr;
  auto pump = std::make_unique<Pump>(loop, std::move(source), std::move(sink));
  pump->start();
  return pump;
}

UniqueFd writable_copy(int fd) {
  auto copy = reopen(fd, O_WRONLY);
  return copy ? std::move(*copy) : UniqueFd();
}

}  // namespace

Result<Streams> Streams::open() {
  Streams streams;
  if (::isatty(0) != 0 && ::isatty(1) != 0) {
    streams.terminal_.emplace(AGENTCTL_TRY(RawTerminal::take(0)));
    Pty pty = AGENTCTL_TRY(open_pty(streams.terminal_->saved(), streams.terminal_->size()));
    streams.pty_name_ = pty.name;
    streams.child_input_ = std::move(pty.slave);
    streams.child_output_ = AGENTCTL_TRY(duplicate(streams.child_input_.get()));
    streams.to_input_ = AGENTCTL_TRY(duplicate(pty.master.get()));
    streams.from_output_ = std::move(pty.master);
    streams.master_ = streams.from_output_.get();
    if (::isatty(2) != 0)
      streams.child_error_ = AGENTCTL_TRY(duplicate(streams.child_input_.get()));
    else
      AGENTCTL_TRY_VOID(output_pipe(streams.child_error_, streams.from_error_));
    return streams;
  }
  Pipe input = AGENTCTL_TRY(make_pipe());
  AGENTCTL_TRY_VOID(make_non_blocking(input.write_end.get()));
  streams.child_input_ = std::move(input.read_end);
  streams.to_input_ = std::move(input.write_end);
  AGENTCTL_TRY_VOID(output_pipe(streams.child_output_, streams.from_output_));
  AGENTCTL_TRY_VOID(output_pipe(streams.child_error_, streams.from_error_));
  return streams;
}

void Streams::close_child_ends() {
  child_input_.reset();
  child_output_.reset();
  child_error_.reset();
}

std::string Streams::take_early_output() {
  std::string text;
  for (const UniqueFd* end : {&from_output_, &from_error_}) {
    char block[4096];
    while (end->valid() && text.size() < kMaxEarlyOutput) {
      const ssize_t count = ::read(end->get(), block, sizeof block);
      if (count <= 0) break;
      text.append(block, static_cast<std::size_t>(count));
    }
  }
  return text;
}

void Streams::connect(EventLoop& loop, std::function<void()> on_user_input) {
  enter_raw();
  // Non-blocking: what poll saw may have gone to another reader, such as the shell that has put us in the background.
  auto input = reopen(0, O_RDONLY);
  if (input)
    input_ = start_pump(loop, std::move(*input), std::move(to_input_));
  else
    to_input_.reset();
  if (input_) input_->on_activity(std::move(on_user_input));
  output_ = start_pump(loop, std::move(from_output_), writable_copy(1));
  error_ = start_pump(loop, std::move(from_error_), writable_copy(2));
}

void Streams::copy_window_size() {
  if (!terminal_) return;
  const winsize size = terminal_->size();
  ::ioctl(master_, TIOCSWINSZ, &size);  // the kernel sends SIGWINCH to the foreground process group
}

void Streams::leave_raw() {
  if (terminal_) terminal_->restore();
}

void Streams::enter_raw() {
  if (terminal_) terminal_->enter_raw();
  if (input_) input_->resume();
}

void Streams::finish() {
  if (output_) output_->drain(kDrainUsec);
  if (error_) error_->drain(kDrainUsec);
  input_.reset();
  terminal_.reset();
}

}  // namespace agentctl::manager
