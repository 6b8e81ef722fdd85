// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/attempt_run.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

#include "base/event_loop.h"
#include "base/text.h"
#include "manager/probe/host_terminal.h"
#include "manager/probe/item.h"
#include "manager/probe/launcher.h"
#include "manager/probe/leftover.h"
#include "manager/probe/progress_line.h"
#include "manager/probe/report_reader.h"

namespace agentctl::probe {
namespace {

constexpr std::uint64_t kDeadlineUsec = 40'000'000;
constexpr std::uint64_t kGraceUsec = 5'000'000;
constexpr std::size_t kMostComplaints = 16384;

class Run {
 public:
  Run(const AttemptRun& run, HostTerminal& terminal, Launcher& launcher, Evidence& evidence)
      : run_(run),
        terminal_(terminal),
        launcher_(launcher),
        evidence_(evidence),
        reader_(run.tag, evidence, [this](std::string_view what) { answer(what); }) {}

  Result<void> wait() {
    AGENTCTL_TRY_VOID(loop_.watch_signals({SIGINT, SIGTERM, SIGHUP}, [this](const signalfd_siginfo&) {
      is_interrupted_ = true;
      end();
    }));
    loop_.watch(terminal_.master(), POLLIN, [this](short) { reader_.pass(terminal_.read()); });
    loop_.watch(launcher_.errors(), POLLIN, [this](short) { read_errors(); });
    loop_.watch(launcher_.told(), POLLIN, [this](short) { launcher_.take(); });
    const ProgressLine progress(
        loop_, run_.slow, [this] { return evidence_.lines.size(); }, all_items().size());
    loop_.after(kDeadlineUsec, [this] { end(); });
    AGENTCTL_TRY_VOID(loop_.run_until([this] { return launcher_.has_ended(); }));
    loop_.forget(launcher_.told());
    loop_.forget(launcher_.errors());
    read_errors();
    reader_.pass(terminal_.read());
    if (is_interrupted_) return errno_error(EINTR, "the probe was ended");
    return {};
  }

 private:
  void answer(std::string_view what) {
    if (run_.on_wait) run_.on_wait(what);
    terminal_.type("\n");
  }

  void read_errors() {
    char block[4096];
    pollfd readable{launcher_.errors(), POLLIN, 0};
    while (::poll(&readable, 1, 0) == 1) {
      const ssize_t count = ::read(launcher_.errors(), block, sizeof block);
      if (count <= 0) return loop_.forget(launcher_.errors());
      if (evidence_.complaints.size() < kMostComplaints)
        evidence_.complaints.append(block, static_cast<std::size_t>(count));
    }
  }

  void end() {
    launcher_.end();
    loop_.after(kGraceUsec, [this] { launcher_.end(); });
  }

  const AttemptRun& run_;
  HostTerminal& terminal_;
  Launcher& launcher_;
  Evidence& evidence_;
  ReportReader reader_;
  EventLoop loop_;
  bool is_interrupted_ = false;
};

}  // namespace

Result<Evidence> run_attempts(const AttemptRun& run, const Planted& planted, Canaries& canaries) {
  for (const auto& canary : canaries) canary->reset();
  std::vector<std::string> words = {cat("report=", run.tag)};
  words.insert(words.end(), planted.words.begin(), planted.words.end());

  Evidence evidence;
  HostTerminal terminal = AGENTCTL_TRY(HostTerminal::open());
  Launcher launcher = AGENTCTL_TRY(
      Launcher::start({[&] { return run.body(words); }, terminal.slave(), run.directory, run.environment}));
  const auto waited = Run(run, terminal, launcher, evidence).wait();
  const bool survived = end_leftovers(cat("report=", run.tag));
  AGENTCTL_TRY_VOID(waited);
  evidence.exit_status = launcher.exit_status();
  terminal.look(evidence);
  if (survived) evidence.effects.insert("survivor");
  if (launcher.was_signalled()) evidence.effects.insert("group-signal");
  for (const auto& canary : canaries) canary->look(evidence);
  return evidence;
}

}  // namespace agentctl::probe
