// SPDX-License-Identifier: Apache-2.0
#include "manager/service/serve.h"

#include <signal.h>
#include <sys/resource.h>

#include <memory>

#include "base/event_loop.h"
#include "base/idle_memory.h"
#include "manager/exit_status.h"
#include "manager/own_program.h"
#include "manager/service/autostart.h"
#include "manager/service/manager_object.h"
#include "manager/service/service_bus.h"
#include "manager/service/session_notifier.h"
#include "manager/service/session_objects.h"
#include "manager/service/session_watch.h"
#include "manager/service/verbs.h"

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kSweepUsec = 60'000'000;

// Three descriptors a session.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Result<int> run_serve() {
  raise_file_limit();
  EventLoop loop;
  bool is_over = false;
  AGENTCTL_TRY_VOID(
      loop.watch_signals({SIGTERM, SIGINT, SIGHUP}, [&is_over](const signalfd_siginfo&) { is_over = true; }));
  const std::unique_ptr<ServiceBus> bus = AGENTCTL_TRY(ServiceBus::connect(loop));
  Verbs verbs(loop, AGENTCTL_TRY(own_program()));
  std::unique_ptr<SessionWatch> sessions;
  // In a child: what is left of a session is killed, and its project looked through, which takes its time.
  const auto sweep = [&] {
    verbs.run({"status", "--json"}, kSweepUsec, [&](const VerbOutcome&) { sessions->swept(); });
  };
  sessions = AGENTCTL_TRY(SessionWatch::start(loop, sweep));

  const ServiceParts parts{bus->get(), *sessions, verbs};
  const std::unique_ptr<ManagerObject> manager = AGENTCTL_TRY(ManagerObject::publish(parts));
  SessionObjects objects(parts);
  sessions->listen([&](const SessionEvent& event) { objects.on_event(event); });

  SessionNotifier notifier(loop, verbs);
  AGENTCTL_TRY_VOID(notifier.connect(bus->get()));
  sessions->listen([&](const SessionEvent& event) { notifier.on_event(event); });
  Autostart autostart(parts,
                      [&](const std::string& what, const std::string& why) { notifier.on_not_started(what, why); });

  sessions->look_at_all();
  AGENTCTL_TRY_VOID(bus->take_name(kBusName));
  autostart.begin();
  give_back_idle_memory();
  AGENTCTL_TRY_VOID(loop.run_until([&] {
    bus->prepare();
    return is_over || bus->problem();
  }));
  if (bus->problem()) return *bus->problem();
  return kExitSuccess;
}

}  // namespace agentctl::manager::service
