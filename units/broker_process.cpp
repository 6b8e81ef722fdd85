// SPDX-License-Identifier: Apache-2.0
#include "units/broker_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <memory>

#include "base/idle_memory.h"
#include "base/text.h"
#include "units/broker_channel.h"
#include "units/cgroup.h"
#include "units/sd_bus_library.h"
#include "units/shared_manager.h"
#include "units/systemd_scope_manager.h"

namespace agentctl::units {
namespace {

// It must hold no terminal, pipe or lock of anybody open, and no signal but KILL may end it before its time.
void stand_alone(int socket) {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::setsid();
  const auto number = static_cast<unsigned>(socket);
  if (number > 0) ::syscall(SYS_close_range, 0U, number - 1, 0);
  ::syscall(SYS_close_range, number + 1, ~0U, 0);
}

Deadlines read_deadlines(const Words& words) {
  Deadlines deadlines;
  unsigned* const fields[] = {&deadlines.call_msec, &deadlines.job_msec};
  for (std::size_t at = 0; at < 2 && at < words.size(); ++at) {
    std::from_chars(words[at].data(), words[at].data() + words[at].size(), *fields[at]);
  }
  return deadlines;
}

class BrokerProcess {
 public:
  Result<Words> answer(BrokerRequest request) {
    if (request.verb == BrokerVerb::connect) return connect(request.words);
    if (request.verb == BrokerVerb::connect_private) return connect_private(std::move(request));
    if (!scopes_) return make_error(ErrorKind::internal, "the scope's broker is not connected");
    switch (request.verb) {
      case BrokerVerb::start:
        return start(request.words);
      case BrokerVerb::confirm:
        return confirm(request.words);
      case BrokerVerb::set_limits:
        return set_limits(request.words);
      case BrokerVerb::set_slice_limits:
        return set_slice_limits(request.words);
      case BrokerVerb::drop_ins:
        return scopes_->drop_ins(AGENTCTL_TRY(only_word(request.words)));
      case BrokerVerb::stop:
        return stop(request.words);
      case BrokerVerb::connect:
      case BrokerVerb::connect_private:
      case BrokerVerb::settle:
        break;
    }
    return make_error(ErrorKind::internal, "the scope's broker was asked for something unknown");
  }

  // From here on the whole session is tied together, and the broker to its owner: a frozen one could do nothing.
  static void tie_to_owner() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

  void let_go_of_bus() {
    scopes_.reset();
    unload_sd_bus();
    give_back_idle_memory();
  }

  // The owner is gone. Should it have died before that took effect, its end of the socket tells.
  void end_scope() const {
    const auto membership = unit_.empty() ? Result<Membership>(Membership{}) : read_membership(::getpid());
    if (!membership) return;
    const std::string& path = membership->unified.empty() ? membership->systemd : membership->unified;
    if (unit_.empty() || !path.ends_with(cat("/", unit_))) return;
    const auto scope = Cgroup::open(path);
    if (scope) (void)scope->kill_others(::getpid());
  }

 private:
  Result<Words> connect(const Words& words) {
    if (words.size() != 3) return make_error(ErrorKind::internal, "cannot understand which manager is wanted");
    const ManagerKind wanted = AGENTCTL_TRY(parse_manager_kind(words[2]));
    SharedManager found = AGENTCTL_TRY(find_shared_manager(wanted, read_deadlines(words)));
    scopes_ = std::move(found.scopes);
    return Words{to_string(found.kind)};
  }

  Result<Words> connect_private(BrokerRequest request) {
    constexpr bool kMessageBus = false;
    constexpr bool kSamePidNamespace = true;
    scopes_ = AGENTCTL_TRY(SystemdScopeManager::connect(std::move(request.descriptor), kMessageBus, kSamePidNamespace,
                                                        read_deadlines(request.words)));
    return Words{};
  }

  Result<Words> start(const Words& words) {
    const ScopeRequest scope = AGENTCTL_TRY(parse_scope_request(words));
    unit_ = scope.unit;
    return to_words(AGENTCTL_TRY(scopes_->start_job(scope)));
  }

  Result<Words> confirm(const Words& words) {
    const std::string unit = AGENTCTL_TRY(only_word(words));
    return Words{AGENTCTL_TRY(scopes_->confirm(unit))};
  }

  Result<Words> set_limits(const Words& words) {
    const ScopeRequest scope = AGENTCTL_TRY(parse_scope_request(words));
    AGENTCTL_TRY_VOID(scopes_->set_limits(scope.unit, scope.limits));
    return Words{};
  }

  Result<Words> set_slice_limits(const Words& words) {
    const SliceRequest slice = AGENTCTL_TRY(parse_slice_request(words));
    AGENTCTL_TRY_VOID(scopes_->set_slice_limits(slice.slice, slice.limits));
    return Words{};
  }

  Result<Words> stop(const Words& words) {
    const std::string unit = AGENTCTL_TRY(only_word(words));
    AGENTCTL_TRY_VOID(scopes_->stop(unit));
    return Words{};
  }

  static Result<std::string> only_word(const Words& words) {
    if (words.size() != 1) return make_error(ErrorKind::internal, "the scope's broker wants a unit");
    return words[0];
  }

  std::unique_ptr<SystemdScopeManager> scopes_;
  std::string unit_;  // the scope that was asked for
};

}  // namespace

void run_broker(int socket) {
  stand_alone(socket);
  (void)load_sd_bus();  // while the owner reads the policy; a failure is told when a connection is asked for
  BrokerProcess process;
  while (true) {
    auto request = receive_request(socket);
    if (!request) {
      process.end_scope();
      ::_exit(0);
    }
    if (request->verb != BrokerVerb::settle) {
      send_answer(socket, process.answer(std::move(*request)));
      continue;
    }
    BrokerProcess::tie_to_owner();
    send_answer(socket, Words{});
    process.let_go_of_bus();
  }
}

}  // namespace agentctl::units
