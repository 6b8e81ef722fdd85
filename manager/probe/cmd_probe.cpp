// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/cmd_probe.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#include "base/file.h"
#include "manager/exit_status.h"
#include "manager/probe/dead_probe.h"
#include "manager/probe/host_half.h"
#include "manager/probe/probe_target.h"
#include "manager/probe/result_text.h"
#include "manager/stage_program.h"

namespace agentctl::probe {
namespace {

bool is_coloured() {
  const char* refused = ::getenv("NO_COLOR");
  return ::isatty(1) != 0 && (refused == nullptr || *refused == 0);
}

// From the first thing that is planted on: each run looks for them, and all that was planted goes the ordinary way.
void hold_back_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, signal);
  ::sigprocmask(SIG_BLOCK, &ends, nullptr);
}

}  // namespace

Result<int> run_probe(const manager::ProbeOptions& options) {
  if (options.list) {
    AGENTCTL_TRY_VOID(
        write_all(1, options.json ? list_json(all_items(), untried_rows()) : list_table(all_items(), untried_rows())));
    return manager::kExitSuccess;
  }
  const std::string program = AGENTCTL_TRY(manager::find_probe_program()).str();
  hold_back_signals();
  sweep_dead_probes();
  const ScratchPlace scratch = AGENTCTL_TRY(ScratchPlace::make());
  const Target target = AGENTCTL_TRY(choose_target(options, program, scratch));
  std::vector<Judgement> judgements;
  {
    HostHalf half = AGENTCTL_TRY(HostHalf::plant(target, program, scratch));
    auto tried = half.try_everything(target);
    if (!tried && tried.error().sys_errno == EINTR) return manager::kExitSignalBase + SIGINT;
    if (!tried) return std::move(tried).error();
    judgements = std::move(*tried);
  }
  AGENTCTL_TRY_VOID(
      write_all(1, options.json ? result_json(judgements, target.name) : result_table(judgements, is_coloured())));
  return is_passed(judgements) ? manager::kExitSuccess : manager::kExitRuntime;
}

}  // namespace agentctl::probe
