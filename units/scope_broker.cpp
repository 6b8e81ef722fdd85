// SPDX-License-Identifier: Apache-2.0
#include "units/scope_broker.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>

#include "units/broker_channel.h"
#include "units/broker_process.h"

namespace agentctl::units {
namespace {

class BrokeredScopeManager : public ScopeManager {
 public:
  explicit BrokeredScopeManager(int socket) : socket_(socket) {}

  [[nodiscard]] Result<ScopeStarted> start(const ScopeRequest& request) override {
    const Words answer = AGENTCTL_TRY(ask_broker(socket_, BrokerVerb::start, to_words(request)));
    ScopeStarted started = AGENTCTL_TRY(parse_scope_started(answer));
    if (!started.control_group.empty()) return started;
    const Words confirmed = AGENTCTL_TRY(ask_broker(socket_, BrokerVerb::confirm, {request.unit}));
    if (!confirmed.empty()) started.control_group = confirmed[0];
    return started;
  }
  [[nodiscard]] Result<void> set_limits(const std::string& unit, const ScopeLimits& limits) override {
    AGENTCTL_TRY(ask_broker(socket_, BrokerVerb::set_limits, to_words(ScopeRequest{unit, {}, {}, {}, {}, limits})));
    return {};
  }
  [[nodiscard]] Result<void> set_slice_limits(const std::string& slice, const SliceLimits& limits) override {
    AGENTCTL_TRY(ask_broker(socket_, BrokerVerb::set_slice_limits, to_words(SliceRequest{slice, limits})));
    return {};
  }
  [[nodiscard]] Result<std::vector<std::string>> drop_ins(const std::string& unit) override {
    return ask_broker(socket_, BrokerVerb::drop_ins, {unit});
  }
  [[nodiscard]] Result<void> stop(const std::string& unit) override {
    AGENTCTL_TRY(ask_broker(socket_, BrokerVerb::stop, {unit}));
    return {};
  }

 private:
  int socket_;
};

constexpr int kSettleMsec = 500;

Words deadline_words(const Deadlines& deadlines) {
  return {std::to_string(deadlines.call_msec), std::to_string(deadlines.job_msec)};
}

}  // namespace

Result<ScopeBroker> ScopeBroker::fork() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return errno_error("cannot make a socket pair");
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) run_broker(theirs.get());
  return ScopeBroker(pid, std::move(ours));
}

Result<void> ScopeBroker::begin_connect(ManagerKind wanted, const Deadlines& deadlines) {
  Words words = deadline_words(deadlines);
  words.emplace_back(to_string(wanted));
  return send_words(socket_.get(), BrokerVerb::connect, words, -1);
}

Result<ManagerKind> ScopeBroker::finish_connect() {
  const Words answer = AGENTCTL_TRY(receive_answer(socket_.get()));
  if (answer.size() != 1) return make_error(ErrorKind::internal, "cannot understand which manager answered");
  return parse_manager_kind(answer[0]);
}

Result<void> ScopeBroker::connect_private(UniqueFd socket, const Deadlines& deadlines) {
  if (std::exchange(start_pending_, false)) (void)receive_answer(socket_.get());
  AGENTCTL_TRY_VOID(send_words(socket_.get(), BrokerVerb::connect_private, deadline_words(deadlines), socket.get()));
  AGENTCTL_TRY(receive_answer(socket_.get()));
  return {};
}

Result<void> ScopeBroker::begin_start(const ScopeRequest& request) {
  start_pending_ = true;
  return send_words(socket_.get(), BrokerVerb::start, to_words(request), -1);
}

Result<ScopeStarted> ScopeBroker::finish_start() {
  start_pending_ = false;
  const Words answer = AGENTCTL_TRY(receive_answer(socket_.get()));
  return parse_scope_started(answer);
}

Result<std::string> ScopeBroker::confirm(const std::string& unit) {
  const Words answer = AGENTCTL_TRY(ask_broker(socket_.get(), BrokerVerb::confirm, {unit}));
  if (answer.size() != 1) return make_error(ErrorKind::internal, "cannot understand which cgroup the scope has");
  return answer[0];
}

std::unique_ptr<ScopeManager> ScopeBroker::make_scope_manager() {
  return std::make_unique<BrokeredScopeManager>(socket_.get());
}

Result<void> ScopeBroker::settle() {
  if (settled_) return {};
  if (!std::exchange(settling_, true)) AGENTCTL_TRY_VOID(send_words(socket_.get(), BrokerVerb::settle, {}, -1));
  pollfd answered{socket_.get(), POLLIN, 0};
  if (::poll(&answered, 1, kSettleMsec) <= 0) return errno_error(ETIMEDOUT, "the scope's anchor does not answer");
  AGENTCTL_TRY(receive_answer(socket_.get()));
  settled_ = true;
  return {};
}

void ScopeBroker::end() {
  const pid_t pid = std::exchange(pid_, 0);
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);  // ours and not reaped, so the number cannot be another's
  ::waitpid(pid, nullptr, 0);
}

}  // namespace agentctl::units
