// SPDX-License-Identifier: Apache-2.0
#include "manager/session.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <algorithm>

#include <functional>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/event_loop.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/caller_process.h"
#include "manager/control_socket.h"
#include "manager/door_log.h"
#include "manager/end_report.h"
#include "manager/exec_surface.h"
#include "manager/limit_proof.h"
#include "manager/notice.h"
#include "manager/private_home.h"
#include "manager/receipt_store.h"
#include "manager/registry.h"
#include "manager/scope_limits.h"
#include "manager/session_dir.h"
#include "manager/session_hosts.h"
#include "manager/session_log.h"
#include "manager/session_name.h"
#include "manager/session_ports.h"
#include "manager/shared_project.h"
#include "manager/start_gate.h"
#include "manager/state_dirs.h"
#include "manager/supervisor.h"
#include "manager/waiting_caller.h"
#include "policy/choice.h"
#include "units/unit_name.h"

namespace agentctl::manager {
namespace {

constexpr const char* kNoFilter = "terminal: what the agent prints is not filtered; your terminal obeys all of it";

constexpr const char* kNetworkUnchanged = "its network cannot be changed";

struct Parent {
  std::string kind;
  pid_t pid = 0;
  UniqueFd pidfd;
};

Result<Parent> find_parent(const SessionRequest& request) {
  if (const auto& given = request.parent_pid) {
    if (*given == ::getpid()) return make_error(ErrorKind::usage, "--parent-pid must not be agentctl itself");
    auto pidfd = open_pidfd(*given);
    if (!pidfd) return make_error(ErrorKind::usage, cat("--parent-pid: process ", *given, " is not found"));
    return Parent{"pid", *given, std::move(*pidfd)};
  }
  const CallerProcess& caller = noted_caller();
  if (caller.pid <= 0) return Parent{"none", 0, {}};  // it is outside of our pid namespace
  auto pidfd = open_pidfd(caller.pid);
  if (caller.has_ended || !pidfd || ::getppid() != caller.pid) {
    return make_error(ErrorKind::system, "the caller has ended already, and a session ends with it",
                      "--detach lets a session run on by itself; --parent-pid names another parent");
  }
  return Parent{request.caller == nullptr ? "caller" : "manager", caller.pid, std::move(*pidfd)};
}

Result<Record> make_record(const SessionRequest& request, const EarlyScope& scope, const Parent& parent) {
  const Neighbours others = list_neighbours(request.project.str());
  if (!others.in_project.unread.empty()) return explain_unread(others.in_project);
  for (const std::string& name : others.in_project.swept)
    if (!request.quiet) notice(cat("session '", printable(name), "' had lost its supervisor; swept"));
  Record record;
  record.id = scope.session_id;
  record.name = request.name;
  if (record.name.empty())
    record.name = make_session_name(request.plan.command[0], request.project.str(), others.names);
  if (!check_session_name(record.name, others.names))
    AGENTCTL_TRY_VOID(check_session_name(record.name, session_names(list_sessions())));
  record.state = "starting";
  record.profile = request.profile;
  record.project = request.project.str();
  record.command = request.plan.command;
  record.parent_kind = parent.kind;
  record.parent_pid = parent.pid;
  record.started_usec = realtime_usec();
  record.limits = to_scope_limits(request.limits);
  record.unlimited = !scope.broker;
  record.nested = request.plan.nested;
  record.directory = request.plan.working_directory.str();
  record.runtime_max_usec = request.limits.runtime_max_usec;
  record.network = policy::to_string(request.plan.network);
  record.supervisor = AGENTCTL_TRY(identify_process(::getpid()));
  record.boot_id = AGENTCTL_TRY(boot_id());
  record.warnings = request.plan.warnings;
  record.manager = "none";
  if (!scope.broker) record.warnings.emplace_back("no limits: the session runs without a scope");
  for (const bwrap::Operation& operation : request.plan.operations) {
    const bool writable =
        operation.access == bwrap::Access::read_write &&
        (operation.kind == bwrap::OperationKind::bind || operation.kind == bwrap::OperationKind::bind_project);
    if (writable) record.writable.push_back(operation.destination.str());
  }
  record.hidden = request.plan.hidden;
  record.project_rules = request.plan.project_rules;
  AGENTCTL_TRY_VOID(check_shared_project(record, others.in_project.sessions));
  return record;
}

void note_agent(Record& record, const Agent& agent, const units::ScopeStarted& scope) {
  record.state = "running";
  record.manager_version = scope.manager_version;
  record.leader = agent.leader;
  record.namespaces = agent.namespaces;
  record.warnings.insert(record.warnings.end(), agent.warnings.begin(), agent.warnings.end());
  for (const std::string& property : scope.dropped) {
    record.warnings.push_back(cat("this systemd does not know ", property, "; it was left out"));
  }
  if (!agent.cgroup) return;
  record.cgroup_path = agent.cgroup->path();
  record.cgroup_directory = agent.cgroup->directory();
  record.cgroup_id = agent.cgroup->id();
  record.cgroup_version = agent.cgroup->version();
}

// Only of a session that runs: before a refusal it would be noise.
void tell_start(const Record& record, const RuntimeDir& runtime) {
  for (const std::string& warning : record.warnings) notice(cat("warning: ", printable(warning)));
  const bool is_private = record.manager == units::to_string(units::ManagerKind::private_manager);
  if (runtime.is_fallback) {
    notice(cat("no XDG_RUNTIME_DIR of yours: the record is kept in '", runtime.path, "'",
               is_private ? ", and the session has a service manager of its own (--manager private)" : ""));
  } else if (is_private) {
    notice("no service manager of yours answers here: this session has a private one (--manager private)");
  }
}

void note_lost_log(Record& record, const Error& error) {
  record.warnings.push_back(cat("network: what is allowed and denied is not kept: ", error.message));
}

std::optional<DoorLog> open_door_log(const std::string& state_dir, Record& record) {
  auto log = DoorLog::create(state_dir, record.id);
  if (log) return std::move(*log);
  note_lost_log(record, log.error());
  return std::nullopt;
}

UniqueFd copy_for_door(const std::optional<DoorLog>& log, Record& record) {
  if (!log) return {};
  auto copy = log->copy();
  if (copy) return std::move(*copy);
  note_lost_log(record, copy.error());
  return {};
}

Error no_allowlist(const Record& record) {
  return make_error(
      ErrorKind::usage,
      cat("its network mode is '", record.network, "': hosts are allowed and denied with 'allowlist' alone"),
      "the mode is chosen when a session is started: --net allowlist");
}

void keep_receipt(int receipts, const Record& record, SessionOutcome& outcome) {
  if (const auto kept = store_receipt(receipts, record, outcome); !kept) {
    outcome.problems.push_back(cat("the receipt is not kept: ", kept.error().message));
  }
}

}  // namespace

Result<SessionReport> run_session(SessionRequest request, EarlyScope scope) {
  const Parent parent = AGENTCTL_TRY(find_parent(request));
  const UniqueFd receipts = AGENTCTL_TRY(open_receipts_dir());
  const std::string state_dir = AGENTCTL_TRY(state_dir_path());
  const UniqueFd own_home = AGENTCTL_TRY(bwrap::prepare(request.plan.own));
  const RuntimeDir runtime = AGENTCTL_TRY(open_runtime_dir());
  UniqueFd names = AGENTCTL_TRY(lock_names(runtime));
  Record record = AGENTCTL_TRY(make_record(request, scope, parent));
  std::optional<SessionDir> directory(AGENTCTL_TRY(SessionDir::create(runtime, record)));
  names.reset();
  const UniqueFd control = AGENTCTL_TRY(listen_control(directory->fd()));
  AGENTCTL_TRY_VOID(directory->write_environment(request.plan.environment));

  // Blocked from here on: a signal that comes while the gates are being passed ends the session as soon as it runs.
  EventLoop loop;
  std::function<void(int)> on_signal;
  AGENTCTL_TRY_VOID(loop.watch_signals(kSupervisorSignals, [&](const signalfd_siginfo& info) {
    if (on_signal) on_signal(static_cast<int>(info.ssi_signo));
  }));
  std::unique_ptr<units::ManagerConnection> manager;
  if (scope.broker) {
    manager = AGENTCTL_TRY(units::connect_manager(*scope.broker, record.id, units::Deadlines{}));
    record.manager = units::to_string(manager->kind());
    record.unit = scope.request.unit;
    record.slice = scope.request.slice;
    if (const pid_t own = manager->manager_pid(); own > 0) record.manager_process = AGENTCTL_TRY(identify_process(own));
    if (manager->kind() == units::ManagerKind::private_manager) AGENTCTL_TRY_VOID(begin_again(scope, *manager));
  }

  Streams streams =
      AGENTCTL_TRY(request.own_terminal ? Streams::open_detached(*request.own_terminal) : Streams::open());
  record.tty = streams.pty_name();
  streams.set_filter(request.filters_output);
  if (!request.filters_output && streams.is_terminal()) record.warnings.emplace_back(kNoFilter);
  PrivateHome home;
  std::function<void(const std::string&)> on_ports;
  SessionPorts ports(loop, request.plan.network, [&](const std::string& sentence) {
    if (on_ports) on_ports(sentence);
  });
  std::optional<SessionHosts> hosts;
  std::optional<DoorLog> door_log = request.door ? open_door_log(state_dir, record) : std::nullopt;
  std::optional<egress::Door> door;
  if (request.door) {
    hosts.emplace(request.door->rules, request.door->host_ports);
    hosts->write_to(record);
    ports.leave_out(hosts->door_ports());
    door.emplace(open_door(*request.door, record.name, copy_for_door(door_log, record)));
  }
  record.surface_roots = surface_roots(request.plan);
  const auto note = [&](const Agent& agent, const units::ScopeStarted& started) -> Result<void> {
    home = PrivateHome::hold(request.plan, agent.leader.pid);
    record.surface_mark = mark_surface();
    note_agent(record, agent, started);
    for (const policy::Publication& publication : request.publish) {
      AGENTCTL_TRY_VOID(ports.publish(publication, agent.leader.pid));
    }
    record.published = ports.list();
    // Who has given up by now must not be left with a session that it never heard of.
    if (request.caller != nullptr) AGENTCTL_TRY_VOID(request.caller->check_waits());
    return directory->write(record);
  };
  const std::unique_ptr<Agent> agent = AGENTCTL_TRY(pass_gates({.plan = request.plan,
                                                                .new_matches = std::move(request.new_matches),
                                                                .project = request.project,
                                                                .streams = streams,
                                                                .scope = scope,
                                                                .manager = manager.get(),
                                                                .budget = request.budget,
                                                                .door = std::move(door),
                                                                .record = note}));
  if (door_log) {
    if (const auto kept = door_log->keep(); !kept) {
      note_lost_log(record, kept.error());
      (void)directory->write(record);
    }
  }

  if (!request.quiet) tell_start(record, runtime);

  SupervisorSettings settings;
  settings.session_name = record.name;
  settings.runtime_max_usec = request.limits.runtime_max_usec;
  settings.parent_pidfd = parent.pidfd.get();
  settings.control_listener = control.get();
  settings.on_stopping = [&] {
    record.state = "stopping";
    (void)directory->write(record);
  };
  settings.on_paused = [&](bool is_paused) {
    record.state = is_paused ? "frozen" : "running";
    (void)directory->write(record);
  };
  settings.on_limits = [&](const LimitChange& change) -> Result<void> {
    Record changed = record;
    changed.limits = with_change(record.limits, change);
    changed.runtime_max_usec = change.runtime_max_usec.value_or(record.runtime_max_usec);
    if (change.concerns_scope()) AGENTCTL_TRY_VOID(confirm_limits(changed.limits, agent->cgroup));
    AGENTCTL_TRY_VOID(directory->write(changed));
    record = std::move(changed);
    return {};
  };
  const auto tell = [&](const std::string& sentence) {
    record.warnings.push_back(sentence);
    (void)directory->write(record);
    if (!request.quiet && !streams.is_terminal()) notice(sentence);
  };
  int watched_ports = -1;
  const auto watch_ports = [&] {
    if (std::exchange(watched_ports, ports.lost_fd()) == ports.lost_fd()) return;
    loop.watch(watched_ports, POLLIN, [&](short) {
      loop.forget(std::exchange(watched_ports, -1));
      ports.forget();
      record.published.clear();
      tell("network: nothing is published any more, since the process for it has ended; publish again");
    });
  };
  watch_ports();
  const auto note_ports = [&](const Result<void>& changed) -> Result<void> {
    AGENTCTL_TRY_VOID(changed);
    watch_ports();
    record.published = ports.list();
    return directory->write(record);
  };
  settings.on_publish = [&](const policy::Publication& publication) {
    return note_ports(ports.publish(publication, agent->leader.pid));
  };
  on_ports = [&](const std::string& sentence) {
    record.published = ports.list();
    if (!sentence.empty()) return tell(sentence);
    (void)directory->write(record);
  };
  settings.on_unpublish = [&](std::uint16_t host_port) { return note_ports(ports.unpublish(host_port)); };
  settings.on_told = tell;
  bool is_denial_told = false;
  settings.on_allow = [&](const policy::HostRule& rule) -> Result<void> {
    if (!hosts) return no_allowlist(record);
    AGENTCTL_TRY_VOID(hosts->check_allow(rule));
    AGENTCTL_TRY_VOID(with_context(kNetworkUnchanged, agent->door->allow(rule)));
    hosts->allow(rule);
    hosts->write_to(record);
    ports.leave_out(hosts->door_ports());
    is_denial_told = false;  // its user has dealt with that one
    return directory->write(record);
  };
  settings.on_deny = [&](const policy::HostRule& rule) -> Result<void> {
    if (!hosts) return no_allowlist(record);
    AGENTCTL_TRY_VOID(with_context(kNetworkUnchanged, agent->door->deny(rule)));
    hosts->deny(rule);
    hosts->write_to(record);
    return directory->write(record);
  };
  settings.on_door = [&](const egress::DoorTold& told) {
    const bool is_new = told.denied > record.door.denied;
    write_to(record, told);
    if (is_new && !std::exchange(is_denial_told, true)) return tell(printable(describe_denial(record)));
    (void)directory->write(record);
  };
  settings.disks = record.writable;
  settings.disks.push_back(state_dir);
  settings.on_low_disk = [&](const std::string& sentence) {
    record.warnings.push_back(sentence);
    (void)directory->write(record);
    notice(sentence);
  };
  if (request.caller != nullptr) settings.on_executed = [&] { request.caller->tell_running(record.name, record.id); };
  streams.set_log(std::make_unique<SessionLog>(state_dir, record.id, [&](const std::string& sentence) {
    record.warnings.push_back(sentence);
    (void)directory->write(record);
  }));
  Supervisor supervisor(loop, *agent, streams, settings);
  if (request.caller != nullptr) {
    loop.watch(request.caller->fd(), POLLIN, [&](short) {
      loop.forget(request.caller->fd());
      if (!request.caller->has_heard()) supervisor.end(EndCause::parent_died);
    });
  }
  on_signal = [&](int signal) { supervisor.on_signal(signal); };
  SessionOutcome outcome = AGENTCTL_TRY(supervisor.run());
  outcome.dropped = home.count_dropped();
  home = {};
  outcome.surface = report_surface(record.surface_roots, changed_since(record.surface_mark, mark_surface()));
  keep_receipt(receipts.get(), record, outcome);
  manager.reset();
  directory.reset();
  supervisor.answer_stop_requests(outcome);
  // Last: a reader that does not read may hold this up, but nothing else.
  streams.finish(serialize(report_end(record, outcome, false)));
  return SessionReport{std::move(record), std::move(outcome)};
}

}  // namespace agentctl::manager
