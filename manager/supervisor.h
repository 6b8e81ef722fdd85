// SPDX-License-Identifier: Apache-2.0
// Supervisor: watches one running session until it is over, and ends it: whatever the cause, the agent alone is asked
// first (SIGTERM), after the grace everything in the scope is killed, and run() returns only when the kernel says that
// the cgroup is empty. It sleeps while nothing happens. Everything it uses is owned by the caller and outlives it.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/agent.h"
#include "manager/control_server.h"
#include "manager/disk_watch.h"
#include "manager/limit_change.h"
#include "manager/network_watch.h"
#include "manager/session_outcome.h"
#include "manager/session_pause.h"
#include "manager/streams.h"
#include "manager/time_limit.h"
#include "policy/host_rule.h"
#include "policy/publication.h"

namespace agentctl::manager {

inline constexpr std::uint64_t kDefaultGraceUsec = 10'000'000;

inline constexpr std::initializer_list<int> kSupervisorSignals = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGWINCH,
                                                                  SIGCONT, SIGTSTP, SIGPIPE, SIGTTIN, SIGTTOU};

struct SupervisorSettings {
  std::string session_name;
  std::uint64_t runtime_max_usec = 0;  // kInfinity: none
  int parent_pidfd = -1;               // whose death ends the session; -1: nobody's
  int control_listener = -1;
  std::function<void()> on_executed;                          // the agent executes: nothing can refuse it any longer
  std::function<void()> on_stopping;                          // the end has begun: for the record
  std::function<void(bool is_paused)> on_paused;              // it stands still, or goes on
  std::function<Result<void>(const LimitChange&)> on_limits;  // were set; an Error where the kernel does not say so
  std::function<Result<void>(const policy::Publication&)> on_publish;
  std::function<Result<void>(std::uint16_t host_port)> on_unpublish;
  std::function<Result<void>(const policy::HostRule&)> on_allow;  // a host for the session, or no longer
  std::function<Result<void>(const policy::HostRule&)> on_deny;
  std::function<void(const egress::DoorTold&)> on_door;  // has decided
  std::function<void(const std::string&)> on_told;  // a sentence for the user: a mask was put back, the network is lost
  std::vector<std::string> disks;                   // directories of the host that the session writes
  std::function<void(const std::string&)> on_low_disk;  // a sentence on one of them, and what was done
};

class Supervisor {
 public:
  Supervisor(EventLoop& loop, Agent& agent, Streams& streams, SupervisorSettings settings);

  [[nodiscard]] Result<SessionOutcome> run();
  // Asks the agent to end, as every other cause does.
  void end(EndCause cause) { begin_end(cause, kDefaultGraceUsec); }
  // One of kSupervisorSignals, from the loop's signalfd.
  void on_signal(int signal);
  // Answers those who asked for the stop, once everything is proven gone.
  void answer_stop_requests(const SessionOutcome& outcome);

 private:
  void watch_child();
  void watch_parent();
  void watch_control();
  void watch_time_limit();
  void watch_masks();
  void on_low_disk(const std::string& where);
  void on_control(UniqueFd connection, const std::string& text);
  void pause(const SessionPause::Answer& answer);
  void resume(const SessionPause::Answer& answer);
  [[nodiscard]] Result<void> change_limits(const LimitChange& change);
  void on_child_exit();
  void begin_end(EndCause cause, std::uint64_t grace_usec);
  void set_grace(std::uint64_t usec);
  [[nodiscard]] std::uint64_t grace_left() const;
  void kill_everything();
  void on_agent_stopped();
  void suspend();
  // Whether the kernel ends a frozen anchor with us, which it does once the anchor has settled.
  [[nodiscard]] bool is_anchored() const;
  void resume_agent();
  void check_suspended_soon();
  void signal_agent(int signal);
  void signal_foreground(int signal);
  void prove_end();

  EventLoop& loop_;
  Agent& agent_;
  Streams& streams_;
  SupervisorSettings settings_;
  SessionOutcome outcome_;
  bool ending_ = false;
  bool ended_ = false;
  int end_signals_ = 0;  // those that ask us to end, but for the hangup of a terminal
  std::optional<EventLoop::TimerId> grace_timer_;
  std::uint64_t grace_end_usec_ = 0;  // monotonic_usec()
  std::optional<EventLoop::TimerId> suspend_timer_;
  std::optional<TimeLimit> time_limit_;
  std::optional<SessionPause> pause_;  // none with --no-limits
  std::optional<NetworkWatch> network_;
  std::optional<DiskWatch> disks_;
  bool is_told_to_caller_ = false;  // who has the terminal back for as long as the session stands still
  std::optional<ControlServer> control_;
  std::vector<UniqueFd> stop_requests_;
};

}  // namespace agentctl::manager
