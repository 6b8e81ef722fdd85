// SPDX-License-Identifier: Apache-2.0
#include "manager/attach_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <optional>
#include <string_view>

#include "base/event_loop.h"
#include "base/text.h"
#include "manager/attach_protocol.h"
#include "manager/control_socket.h"
#include "manager/detach_keys.h"
#include "manager/sink.h"
#include "manager/terminal.h"
#include "manager/terminal_modes.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kOutputRoom = 262144;
constexpr std::size_t kInputRoom = 1U << 20;
constexpr std::uint64_t kLastOutputUsec = 1'000'000;
constexpr std::initializer_list<int> kSignals = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGWINCH,
                                                 SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE};

// What was on the screen scrolls up, and the title is put by.
std::string welcome(const winsize& size) {
  return cat("\x1b[22;2t\x1b[999;1H", std::string(size.ws_row, '\n'), "\x1b[H");
}

// As the terminal was, with the cursor below what the agent has left on the screen.
std::string farewell() { return cat(forget_modes(), "\x1b[23;2t\x1b[999;1H\r\n"); }

class Client {
 public:
  Client(UniqueFd connection, RawTerminal terminal, bool read_only)
      : connection_(std::move(connection)), terminal_(std::move(terminal)), read_only_(read_only) {}

  Result<AttachEnd> run() {
    AGENTCTL_TRY_VOID(loop_.watch_signals(
        kSignals, [this](const signalfd_siginfo& info) { on_signal(static_cast<int>(info.ssi_signo)); }));
    keyboard_ = AGENTCTL_TRY(reopen(0, O_RDONLY));
    output_.emplace(loop_, AGENTCTL_TRY(reopen(1, O_WRONLY)));
    output_->on_change([this] {
      if (output_->closed()) end_ = AttachEnd{};
      update_interest();
    });
    loop_.watch(connection_.get(), POLLIN, [this](short revents) { on_connection(revents); });
    AGENTCTL_TRY_VOID(loop_.run_until([this] { return end_.has_value(); }));
    if (is_drawn_) output_->put(farewell());
    output_->drain(monotonic_usec() + kLastOutputUsec);
    return *end_;
  }

 private:
  // Typing ahead of an agent that does not read waits here, so that the detach keys are always seen.
  void send(MessageKind kind, std::string_view body) {
    if (unsent_bytes_ > kInputRoom) return;
    unsent_.push_back(format_message(kind, body));
    unsent_bytes_ += body.size();
    send_unsent();
    update_interest();
  }

  void send_unsent() {
    while (!unsent_.empty()) {
      const std::string& message = unsent_.front();
      if (::send(connection_.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
      unsent_bytes_ -= message.size() - 1;
      unsent_.pop_front();
    }
  }

  void on_connection(short revents) {
    if ((revents & POLLOUT) != 0) send_unsent();
    if ((revents & ~POLLOUT) != 0) on_message();
    update_interest();
  }

  void on_message() {
    std::array<char, kMostMessageBytes> bytes;  // NOLINT: filled by recv
    const ssize_t count = ::recv(connection_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      end_ = AttachEnd{AttachEnd::Cause::lost, ""};
      return;
    }
    const auto message = parse_message({bytes.data(), static_cast<std::size_t>(count)});
    if (!message) return;
    if (message->kind == MessageKind::role) begin_drawing();
    if (message->kind == MessageKind::output) output_->put(message->body);
    if (message->kind == MessageKind::end) end_ = {AttachEnd::Cause::session_ended, std::string(message->body)};
    if (message->kind == MessageKind::refusal) end_ = {AttachEnd::Cause::refused, std::string(message->body)};
  }

  // Only now: a refusal leaves the terminal alone.
  void begin_drawing() {
    if (is_drawn_) return;
    is_drawn_ = true;
    terminal_.enter_raw();
    output_->put(welcome(terminal_.size()));
    loop_.watch(keyboard_.get(), POLLIN, [this](short revents) { on_keyboard(revents); });
  }

  void on_keyboard(short) {
    std::array<char, kMostMessageBytes - 1> bytes;  // NOLINT: filled by read
    const ssize_t count = ::read(keyboard_.get(), bytes.data(), bytes.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {  // the terminal is gone
      end_ = AttachEnd{};
      return;
    }
    const std::string typed = keys_.pass({bytes.data(), static_cast<std::size_t>(count)});
    if (!typed.empty() && !read_only_) send(MessageKind::input, typed);
    if (keys_.found()) end_ = AttachEnd{};
  }

  void on_signal(int signal) {
    switch (signal) {
      case SIGWINCH:
        return send(MessageKind::window, format_window(terminal_.size()));
      case SIGCONT:  // others have used the terminal meanwhile
        terminal_.enter_raw();
        send(MessageKind::window, format_window(terminal_.size()));
        return send(MessageKind::redraw, "");
      case SIGHUP:
      case SIGINT:
      case SIGQUIT:
      case SIGTERM:
        end_ = AttachEnd{};
        return;
      default:
        return;
    }
  }

  void update_interest() {
    const bool has_room = output_->waiting() < kOutputRoom;
    loop_.set_events(connection_.get(), static_cast<short>((has_room ? POLLIN : 0) | (unsent_.empty() ? 0 : POLLOUT)));
  }

  EventLoop loop_;
  UniqueFd connection_;
  UniqueFd keyboard_;
  RawTerminal terminal_;
  bool read_only_;
  bool is_drawn_ = false;
  std::optional<Sink> output_;
  DetachKeys keys_;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  std::optional<AttachEnd> end_;
};

}  // namespace

Result<AttachEnd> attach_terminal(const std::string& session_directory, bool read_only, bool take_over) {
  if (::isatty(0) == 0 || ::isatty(1) == 0) {
    return make_error(ErrorKind::usage, "attach needs a terminal as its standard input and output",
                      "'agentctl logs' shows what a session has printed");
  }
  RawTerminal terminal = AGENTCTL_TRY(RawTerminal::take(0, farewell()));
  AttachRequest request;
  request.size = terminal.size();
  if (request.size.ws_row == 0 || request.size.ws_col == 0) request.size = {24, 80, 0, 0};
  request.read_only = read_only;
  request.take_over = take_over;
  UniqueFd connection = AGENTCTL_TRY(send_control(session_directory, format_attach_request(request)));
  return Client(std::move(connection), std::move(terminal), read_only).run();
}

}  // namespace agentctl::manager
