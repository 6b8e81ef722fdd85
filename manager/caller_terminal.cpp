// SPDX-License-Identifier: Apache-2.0
#include "manager/caller_terminal.h"

#include <fcntl.h>

namespace agentctl::manager {
namespace {

constexpr std::size_t kRoom = 65536;

}  // namespace

Result<std::unique_ptr<CallerTerminal>> CallerTerminal::take() {
  return std::unique_ptr<CallerTerminal>(new CallerTerminal(AGENTCTL_TRY(RawTerminal::take(0))));
}

void CallerTerminal::connect(EventLoop& loop, SessionTerminal& session, std::function<void()> on_input) {
  session_ = &session;
  enter_raw();
  // Non-blocking: what poll saw may have gone to another reader, such as the shell that has put us in the background.
  auto input = reopen(0, O_RDONLY);
  auto master = session.duplicate_master();
  if (input && master) {
    input_ = std::make_unique<Pump>(loop, std::move(*input), std::move(*master));
    input_->on_activity(std::move(on_input));
    input_->start();
  }
  auto output = reopen(1, O_WRONLY);
  if (!output) return;
  output_ = std::make_unique<Sink>(loop, std::move(*output));
  output_->on_change([this] { session_->hold(output_->waiting() >= kRoom); });
}

void CallerTerminal::show(std::string_view output) {
  if (!output_) return;
  output_->put(output);
  if (output_->waiting() >= kRoom) session_->hold(true);
}

void CallerTerminal::let_type(bool may_type) {
  if (input_) input_->discard(!may_type);
}

void CallerTerminal::enter_raw() {
  terminal_.enter_raw();
  if (input_) input_->resume();
}

void CallerTerminal::drain(std::uint64_t until_usec) {
  if (output_) output_->drain(until_usec);
}

}  // namespace agentctl::manager
