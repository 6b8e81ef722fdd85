// SPDX-License-Identifier: Apache-2.0
#include "manager/streams.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>

#include "base/file.h"
#include "manager/control_socket.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kDrainUsec = 5'000'000;  // how long the rest of the output may wait for a slow reader
constexpr std::uint64_t kDrainClientsUsec = 2'000'000;
constexpr std::size_t kMaxEarlyOutput = 16384;

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
    streams.caller_ = AGENTCTL_TRY(CallerTerminal::take());
    streams.terminal_ = AGENTCTL_TRY(SessionTerminal::open(streams.caller_->attributes(), streams.caller_->size()));
    if (::isatty(2) == 0) AGENTCTL_TRY_VOID(output_pipe(streams.child_error_, streams.from_error_));
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

Result<Streams> Streams::open_detached(const winsize& size) {
  Streams streams;
  const bool has_size = size.ws_row != 0 && size.ws_col != 0;
  streams.terminal_ = AGENTCTL_TRY(SessionTerminal::open(std::nullopt, has_size ? size : kUnseenSize));
  return streams;
}

void Streams::close_child_ends() {
  child_input_.reset();
  child_output_.reset();
  child_error_.reset();
  if (terminal_) terminal_->close_slave();
}

std::string Streams::take_early_output() {
  std::string text;
  if (terminal_) text = terminal_->take_early_output(kMaxEarlyOutput);
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

void Streams::connect(EventLoop& loop, const std::string& session_name, std::function<void()> on_user_input) {
  loop_ = &loop;
  session_name_ = session_name;
  on_user_input_ = std::move(on_user_input);
  if (terminal_) {
    terminal_->connect(loop, [this](std::string_view output) { on_output(output); });
    if (caller_)
      caller_->connect(loop, *terminal_, on_user_input_);
    else
      clients();
  } else {
    // Non-blocking: what poll saw may have gone to another reader.
    auto input = reopen(0, O_RDONLY);
    if (input)
      input_ = start_pump(loop, std::move(*input), std::move(to_input_));
    else
      to_input_.reset();
    if (input_) input_->on_activity(on_user_input_);
    output_ = start_pump(loop, std::move(from_output_), writable_copy(1));
  }
  error_ = start_pump(loop, std::move(from_error_), writable_copy(2));
}

void Streams::on_output(std::string_view output) {
  if (log_) log_->write(output);
  const std::string passed = screen().pass(output);
  const std::string_view shown = filters_ ? std::string_view(passed) : output;
  if (caller_) caller_->show(shown);
  if (clients_) clients_->show(shown);
}

SessionScreen& Streams::screen() {
  if (!screen_) {
    const winsize size = terminal_->size();
    screen_ = std::make_unique<SessionScreen>(size.ws_row == 0 || size.ws_col == 0 ? kUnseenSize : size);
  }
  return *screen_;
}

AttachedClients& Streams::clients() {
  if (!clients_) {
    clients_ = std::make_unique<AttachedClients>(*loop_, AttachedClients::Session{.name = session_name_,
                                                                                  .terminal = *terminal_,
                                                                                  .screen = screen().model(),
                                                                                  .caller = caller_.get(),
                                                                                  .on_input = on_user_input_});
    clients_->set_paused(is_paused_);
  }
  return *clients_;
}

void Streams::attach(UniqueFd connection, const AttachRequest& request) {
  if (terminal_) return clients().add(std::move(connection), request);
  answer_control(connection.get(), format_message(MessageKind::refusal, "it has no terminal of its own"));
}

void Streams::set_paused(bool is_paused) {
  is_paused_ = is_paused;
  if (terminal_) clients().set_paused(is_paused);
}

void Streams::copy_window_size() {
  if (!caller_types()) return;
  terminal_->set_size(caller_->size());
  if (screen_) screen_->model().resize(caller_->size());
}

void Streams::leave_raw() {
  if (caller_) caller_->leave_raw();
}

void Streams::enter_raw() {
  if (caller_) caller_->enter_raw();
  if (input_) input_->resume();
}

void Streams::finish(std::string_view end_report) {
  if (output_) output_->drain(kDrainUsec);
  if (terminal_) terminal_->read_rest();
  if (clients_) clients_->end(end_report, monotonic_usec() + kDrainClientsUsec);
  if (caller_ && screen_) caller_->show(screen_->model().modes().reset());
  if (caller_) caller_->drain(monotonic_usec() + kDrainUsec);
  if (error_) error_->drain(kDrainUsec);
  input_.reset();
  caller_.reset();
}

}  // namespace agentctl::manager
