// SPDX-License-Identifier: Apache-2.0
#include "manager/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/file.h"
#include "base/idle_memory.h"
#include "base/log.h"
#include "base/overloaded.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/attach_protocol.h"
#include "manager/control_answer.h"
#include "manager/control_request.h"
#include "manager/control_socket.h"
#include "manager/receipt.h"
#include "manager/session_end.h"

namespace agentctl::manager {
namespace {

// How long after a key was typed the agent's state is looked at: long enough for it to have stopped itself.
constexpr std::uint64_t kSuspendCheckUsec = 100'000;

// A session that lives this long is likely to live for hours; a shorter one need not pay for it.
constexpr std::uint64_t kIdleAfterUsec = 1'000'000;
constexpr int kNamespaceDeathMsec = 2000;

std::string describe_process(pid_t pid) {
  const auto name = read_file(cat("/proc/", pid, "/comm"));
  return cat(name ? printable(trim(*name)) : "?", " (", pid, ")");
}

}  // namespace

Supervisor::Supervisor(EventLoop& loop, Agent& agent, Streams& streams, SupervisorSettings settings)
    : loop_(loop), agent_(agent), streams_(streams), settings_(std::move(settings)) {}

Result<SessionOutcome> Supervisor::run() {
  watch_child();
  watch_parent();
  watch_control();
  watch_time_limit();
  watch_masks();
  network_.emplace(loop_, agent_, NetworkWatch::Callbacks{settings_.on_told, settings_.on_door});
  disks_.emplace(loop_, settings_.disks, [this](const std::string& where) { on_low_disk(where); });
  loop_.after(kIdleAfterUsec, [this] {
    if (agent_.anchor != nullptr && !agent_.masks) (void)agent_.anchor->settle();
    give_back_idle_memory();
  });
  streams_.connect(loop_, settings_.session_name, [this] { check_suspended_soon(); });
  AGENTCTL_TRY_VOID(loop_.run_until([this] {
    disks_->look_if_due();
    return ended_;
  }));
  if (agent_.cgroup) outcome_.usage = agent_.cgroup->read_usage();  // the anchor still holds it
  prove_end();
  network_->hear_last();
  if (agent_.masks) {
    agent_.masks->look_at_end();
    outcome_.restored = agent_.masks->summary();
  }
  return outcome_;
}

void Supervisor::watch_child() {
  loop_.watch(agent_.bwrap.pidfd(), POLLIN, [this](short) { on_child_exit(); });
  loop_.watch(agent_.stage.fd(), POLLIN, [this](short) {
    loop_.forget(agent_.stage.fd());
    const auto error = agent_.stage.wait_exec();
    if (error && *error == 0 && settings_.on_executed) settings_.on_executed();
    if (!error || *error == 0) return;
    outcome_.cause = EndCause::exec_failed;
    outcome_.exec_error = *error;
  });
}

void Supervisor::watch_parent() {
  if (settings_.parent_pidfd < 0) return;
  loop_.watch(settings_.parent_pidfd, POLLIN, [this](short) {
    loop_.forget(settings_.parent_pidfd);
    begin_end(EndCause::parent_died, kDefaultGraceUsec);
  });
}

void Supervisor::watch_control() {
  if (settings_.control_listener < 0) return;
  control_.emplace(loop_, settings_.control_listener,
                   [this](UniqueFd connection, const std::string& text) { on_control(std::move(connection), text); });
}

void Supervisor::watch_time_limit() {
  time_limit_.emplace(loop_, settings_.runtime_max_usec,
                      [this] { begin_end(EndCause::time_limit, kDefaultGraceUsec); });
}

void Supervisor::watch_masks() {
  if (!agent_.masks) return;
  // First: an anchor that is frozen when we die must be ended by the kernel, since it cannot end itself.
  if (agent_.anchor != nullptr) (void)agent_.anchor->settle();
  MaskWatch::Callbacks callbacks;
  callbacks.restored = settings_.on_told;
  callbacks.failed = [this](const Error& error) {
    outcome_.problems.push_back(cat("cannot keep what is hidden and protected in place: ", error.message));
    begin_end(EndCause::mask_lost, 0);
  };
  agent_.masks->connect(loop_, agent_.cgroup ? &*agent_.cgroup : nullptr, std::move(callbacks));
}

void Supervisor::on_signal(int signal) {
  switch (signal) {
    case SIGWINCH:
      return streams_.copy_window_size();
    case SIGCONT:
      return resume_agent();
    case SIGTSTP:
      return suspend();
    case SIGHUP:
      return begin_end(EndCause::hangup, kDefaultGraceUsec);
    case SIGINT:
      if (!ending_) signal_foreground(SIGINT);
      return begin_end(EndCause::interrupted, kDefaultGraceUsec);
    case SIGTERM:
    case SIGQUIT:
      return begin_end(EndCause::terminated, kDefaultGraceUsec);
    default:
      return;
  }
}

void Supervisor::on_control(UniqueFd connection, const std::string& text) {
  if (const auto attach = parse_attach_request(text)) return streams_.attach(std::move(connection), *attach);
  const auto request = parse_request(text);
  if (!request) return answer_control(connection.get(), to_answer(request.error()));
  if (const auto* stop = std::get_if<StopRequest>(&*request)) {
    stop_requests_.push_back(std::move(connection));  // open until everything is proven gone
    return begin_end(EndCause::stopped, stop->grace_usec);
  }
  const auto answer = [asker = std::make_shared<UniqueFd>(std::move(connection))](const Result<void>& done) {
    answer_control(asker->get(), to_answer(done));
  };
  if (ending_) return answer(make_error(ErrorKind::system, "is ending"));
  std::visit(Overloaded{[](const StopRequest&) {},  // above
                        [&](const PauseRequest&) { pause(answer); }, [&](const ResumeRequest&) { resume(answer); },
                        [&](const PublishRequest& publish) { answer(settings_.on_publish(publish.publication)); },
                        [&](const UnpublishRequest& unpublish) { answer(settings_.on_unpublish(unpublish.host_port)); },
                        [&](const AllowRequest& allow) { answer(settings_.on_allow(allow.rule)); },
                        [&](const DenyRequest& deny) { answer(settings_.on_deny(deny.rule)); },
                        [&](const LimitsRequest& limits) { answer(change_limits(limits.change)); }},
             *request);
}

void Supervisor::pause(const SessionPause::Answer& answer) {
  if (!agent_.cgroup) {
    return answer(make_error(ErrorKind::system, "cannot be paused: it has no cgroup of its own",
                             "it was started with --no-limits"));
  }
  // Should we be killed meanwhile: an anchor that is frozen must be ended by the kernel, since it cannot end itself.
  if (const auto settled = agent_.anchor->settle(); !settled) return answer(settled.error());
  if (!pause_) {
    pause_.emplace(loop_, *agent_.cgroup, [this](bool is_paused) {
      is_paused ? time_limit_->pause() : time_limit_->resume();
      streams_.set_paused(is_paused);
      disks_->set_paused(is_paused);
      if (!is_paused && std::exchange(is_told_to_caller_, false)) streams_.enter_raw();
      if (settings_.on_paused) settings_.on_paused(is_paused);
    });
  }
  pause_->pause(answer);
}

void Supervisor::on_low_disk(const std::string& where) {
  if (ending_) return;
  pause([this, where](const Result<void>& paused) {
    if (ending_) return;
    is_told_to_caller_ = paused && streams_.is_terminal();
    if (is_told_to_caller_) streams_.leave_raw();
    settings_.on_low_disk(cat(
        "disk: ", where, ": ",
        paused ? cat("the session is paused; make room, then 'agentctl resume ", printable(settings_.session_name), "'")
               : paused.error().message));
  });
}

// Somebody else may have frozen it: that is ended too.
void Supervisor::resume(const SessionPause::Answer& answer) {
  if (pause_) return pause_->resume(answer);
  answer(agent_.cgroup ? agent_.cgroup->thaw() : Result<void>{});
}

Result<void> Supervisor::change_limits(const LimitChange& change) {
  const std::uint64_t before = time_limit_->limit_usec();
  if (change.runtime_max_usec) AGENTCTL_TRY_VOID(time_limit_->change(*change.runtime_max_usec));
  Result<void> noted = settings_.on_limits(change);
  if (!noted && change.runtime_max_usec) (void)time_limit_->change(before);
  return noted;
}

void Supervisor::signal_agent(int signal) {
  if (const auto sent = signal_pidfd(agent_.leader_pidfd.get(), signal); !sent) log::debug(sent.error().message);
}

void Supervisor::signal_foreground(int signal) {
  const auto leader = read_process_stat(agent_.leader.pid);
  if (!leader || leader->start_time != agent_.leader.start_time || leader->pgrp <= 1) return;
  ::kill(-leader->pgrp, signal);
}

void Supervisor::begin_end(EndCause cause, std::uint64_t grace_usec) {
  if (cause == EndCause::interrupted || cause == EndCause::terminated) ++end_signals_;
  if (ending_ && grace_usec != 0) {
    // A second such signal means: now. A logout sends one, beside a hangup and the death of the parent, and means the
    // grace; a second `stop` with less patience than is left shortens the first one's.
    if (end_signals_ > 1) return kill_everything();
    if (cause == EndCause::stopped && grace_timer_) set_grace(std::min(grace_usec, grace_left()));
    return;
  }
  if (!ending_) {
    ending_ = true;
    if (pause_) pause_->give_up();
    if (outcome_.cause == EndCause::exited) outcome_.cause = cause;
    if (settings_.on_stopping) settings_.on_stopping();
  }
  if (grace_usec == 0) kill_everything();
  if (agent_.cgroup) (void)agent_.cgroup->thaw();  // a frozen process handles no signal
  if (grace_usec == 0) return;
  if (cause != EndCause::interrupted) signal_agent(SIGTERM);
  signal_foreground(SIGCONT);  // nor does a stopped one
  set_grace(grace_usec);
}

std::uint64_t Supervisor::grace_left() const {
  const std::uint64_t now = monotonic_usec();
  return grace_end_usec_ > now ? grace_end_usec_ - now : 0;
}

void Supervisor::set_grace(std::uint64_t usec) {
  if (grace_timer_) loop_.cancel(*grace_timer_);
  if (__builtin_add_overflow(monotonic_usec(), usec, &grace_end_usec_)) grace_end_usec_ = kInfinity;
  grace_timer_ = loop_.after(usec, [this] { kill_everything(); });
}

void Supervisor::kill_everything() {
  if (ended_) return;
  if (grace_timer_) loop_.cancel(*grace_timer_);
  if (agent_.cgroup && outcome_.killed.empty()) {
    for (const pid_t pid : agent_.cgroup->pids()) {
      const bool ours = pid == agent_.bwrap.pid() || (agent_.anchor != nullptr && pid == agent_.anchor->pid());
      const auto stat = ours ? Result<ProcessStat>(ProcessStat{}) : read_process_stat(pid);
      const bool is_init = stat && stat->ppid == agent_.bwrap.pid();  // bwrap's own process inside
      if (!ours && stat && !is_init) outcome_.killed.push_back(describe_process(pid));
    }
  }
  ::kill(agent_.bwrap.pid(), SIGKILL);  // the sandbox's init dies with it, and with that the whole pid namespace
}

void Supervisor::on_child_exit() {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(agent_.bwrap.pid()), &info, WEXITED | WNOWAIT | WNOHANG) != 0) return;
  if (info.si_pid == 0) return;
  loop_.forget(agent_.bwrap.pidfd());
  outcome_.exit_status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  ended_ = true;
}

void Supervisor::prove_end() {
  if (agent_.cgroup) {
    agent_.anchor->end();
    if (const auto empty = kill_and_prove_empty(*agent_.cgroup); !empty)
      outcome_.problems.push_back(empty.error().message);
  } else {
    pollfd gone{agent_.leader_pidfd.get(), POLLIN, 0};  // the pid namespace dies with its init, the agent with that
    if (::poll(&gone, 1, kNamespaceDeathMsec) == 0) outcome_.problems.emplace_back("the agent does not end");
  }
  ::waitpid(agent_.bwrap.detach(), nullptr, 0);
  outcome_.ended_usec = realtime_usec();
}

void Supervisor::check_suspended_soon() {
  if (!streams_.is_terminal() || suspend_timer_) return;
  suspend_timer_ = loop_.after(kSuspendCheckUsec, [this] {
    suspend_timer_.reset();
    const auto leader = read_process_stat(agent_.leader.pid);
    if (leader && leader->start_time == agent_.leader.start_time && leader->state == 'T') on_agent_stopped();
  });
}

// It has stopped itself (Ctrl-Z). There is a shell to go back to only where the caller types.
void Supervisor::on_agent_stopped() {
  if (streams_.caller_types())
    suspend();
  else
    signal_foreground(SIGCONT);
}

bool Supervisor::is_anchored() const {
  if (agent_.anchor == nullptr) return true;
  const auto settled = agent_.anchor->settle();
  if (!settled) log::debug(settled.error().message);
  return settled.has_value();
}

// The agent has stopped itself, or we were asked to stop: the user gets the shell back.
void Supervisor::suspend() {
  if (ending_) return;
  signal_foreground(SIGTSTP);
  streams_.leave_raw();
  // The default action, as of any program on a terminal: where no shell could continue us (an orphaned process group)
  // the kernel discards it, and both go on at once (setpgid(2)).
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  // While we stand still nobody keeps masks in place or counts the time: nothing of the session may run either.
  bool freezes = false;
  if (agent_.cgroup && !agent_.cgroup->freezes() && is_anchored()) {
    const auto asked = agent_.cgroup->freeze();
    freezes = asked && *asked;
  }
  ::raise(SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  if (freezes) (void)agent_.cgroup->thaw();
  resume_agent();
}

void Supervisor::resume_agent() {
  streams_.enter_raw();
  streams_.copy_window_size();
  signal_foreground(SIGCONT);
}

void Supervisor::answer_stop_requests(const SessionOutcome& outcome) {
  std::string text = cat("ended ", outcome.exit_status, "\n");
  for (const std::string& problem : outcome.problems) text += cat("problem ", problem, "\n");
  if (outcome.surface.count > 0) text += cat("surface ", outcome.surface.count, "\n");
  if (!outcome.killed.empty()) text += cat("killed ", join_some(outcome.killed, ", ", kMostNamed), "\n");
  for (const UniqueFd& request : stop_requests_) answer_control(request.get(), text);
  stop_requests_.clear();
}

}  // namespace agentctl::manager
