// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <variant>

#include "base/file.h"
#include "base/log.h"
#include "base/overloaded.h"
#include "manager/caller_process.h"
#include "manager/cli.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/launcher/launch.h"
#include "manager/launcher/window_program.h"
#include "manager/notice.h"
#include "manager/probe/cmd_probe.h"
#include "manager/service/serve.h"

namespace {

using namespace agentctl;  // main belongs to no room of its own

Result<int> dispatch(const manager::Command& command) {
  return std::visit(Overloaded{
                        [](const manager::StartOptions& options) { return manager::run_start(options); },
                        [](const manager::SuperviseOptions&) { return manager::run_supervise(); },
                        [](const manager::StopOptions& options) { return manager::run_stop(options); },
                        [](const manager::PauseOptions& options) { return manager::run_pause(options); },
                        [](const manager::ResumeOptions& options) { return manager::run_resume(options); },
                        [](const manager::PublishOptions& options) { return manager::run_publish(options); },
                        [](const manager::UnpublishOptions& options) { return manager::run_unpublish(options); },
                        [](const manager::AllowOptions& options) { return manager::run_allow(options); },
                        [](const manager::DenyOptions& options) { return manager::run_deny(options); },
                        [](const manager::ExecOptions& options) { return manager::run_exec(options); },
                        [](const manager::SetOptions& options) { return manager::run_set(options); },
                        [](const manager::AttachOptions& options) { return manager::run_attach(options); },
                        [](const manager::LogsOptions& options) { return manager::run_logs(options); },
                        [](const manager::StatusOptions& options) { return manager::run_status(options); },
                        [](const manager::CgroupOptions& options) { return manager::run_cgroup(options); },
                        [](const manager::ReceiptOptions& options) { return manager::run_receipt(options); },
                        [](const manager::ExplainOptions& options) { return manager::run_explain(options); },
                        [](const manager::ProbeOptions& options) { return probe::run_probe(options); },
                        [](const manager::TrustOptions& options) { return manager::run_trust(options); },
                        [](const manager::ProfileOptions& options) { return manager::run_profile(options); },
                        [](const manager::CompleteOptions& options) { return manager::run_complete(options); },
                        [](const manager::CompletionOptions& options) { return manager::run_completion(options); },
                        [](const manager::RemoteOptions& options) { return manager::run_remote(options); },
                        [](const manager::LaunchOptions& options) { return launcher::run_launch(options); },
                        [](const manager::WindowOptions& options) { return launcher::run_in_window(options); },
                        [](const manager::ServeOptions&) { return manager::service::run_serve(); },
                        [](const manager::TextToPrint& output) -> Result<int> {
                          AGENTCTL_TRY_VOID(write_all(1, output.text));
                          return manager::kExitSuccess;
                        },
                    },
                    command);
}

bool is_start(const manager::Command& command) {
  const auto* remote = std::get_if<manager::RemoteOptions>(&command);
  return std::holds_alternative<manager::StartOptions>(command) || (remote != nullptr && remote->starts);
}

int run(int argc, char** argv) {
  const auto command = manager::parse_command_line(argc, argv);
  const bool starting = command && is_start(*command);
  auto status = command ? dispatch(*command) : Result<int>(command.error());
  if (status) return *status;
  manager::print_error(status.error());
  return manager::exit_status_of(status.error().kind, starting);
}

}  // namespace

int main(int argc, char** argv) {
  manager::note_caller();
  // A missing standard stream would be replaced by the next file opened.
  while (true) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd < 0 || fd > 2) {
      if (fd > 2) ::close(fd);
      break;
    }
  }
  ::signal(SIGCHLD, SIG_DFL);  // a caller that ignores it would have our children reaped before we ask how they ended
  log::set_up();
  try {
    return run(argc, argv);
  } catch (const std::exception& exception) {
    manager::print_error(make_error(ErrorKind::internal, exception.what()));
    return manager::kExitStartFailed;
  }
}
