// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/launch.h"

#include <unistd.h>

#include <cstdlib>

#include "base/text.h"
#include "manager/exit_status.h"
#include "manager/launcher/front.h"
#include "manager/launcher/program_run.h"
#include "manager/launcher/session_choice.h"
#include "manager/launcher/terminal_choice.h"
#include "manager/launcher/terminal_window.h"
#include "manager/notice.h"
#include "manager/outer_session.h"
#include "manager/own_program.h"
#include "manager/registry.h"

namespace agentctl::launcher {
namespace {

using Words = std::vector<std::string>;
using manager::LaunchOptions;

// This process becomes the command.
Result<int> run_here(const Words& words) {
  Words all = {AGENTCTL_TRY(manager::own_program())};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  return errno_error(cat("cannot run '", printable(all[0]), "'"));
}

Result<int> run_in_new_window(const Words& words) {
  const char* preferred = ::getenv("TERMINAL");
  const Terminal terminal = AGENTCTL_TRY(choose_terminal(preferred == nullptr ? "" : preferred, find_program));
  if (!terminal.remark.empty()) manager::notice(terminal.remark);
  AGENTCTL_TRY_VOID(open_window(terminal, words));
  return manager::kExitSuccess;
}

// The same questions, on the terminal that a window brings.
Words ask_there(const LaunchOptions& options) {
  Words words = {"launch", "--here"};
  if (options.browse) words.push_back("--browse");
  if (!options.profile.empty()) words.insert(words.end(), {"-p", options.profile});
  if (!options.directory.empty()) words.insert(words.end(), {"--", options.directory});
  return words;
}

Result<int> start(LaunchOptions options, const Front& front) {
  const bool stays = options.here || (front.is_terminal() && !front.has_display());
  if (!options.directory.empty()) options.directory = AGENTCTL_TRY(find_directory(options.directory));
  if (!front.can_ask() && (options.directory.empty() || options.profile.empty())) {
    return run_in_new_window(ask_there(options));
  }
  const auto choice = AGENTCTL_TRY(choose_session(options, front));
  if (!choice) {
    manager::notice("nothing is chosen");
    return manager::kExitRuntime;
  }
  const Words words = {"start", "-C", choice->project, "-p", choice->profile};
  return stays ? run_here(words) : run_in_new_window(words);
}

Result<int> stop_all(const Front& front) {
  if (front.is_terminal()) return run_here({"stop", "--all"});
  const Words names = manager::session_names(manager::list_sessions());
  const std::string program = AGENTCTL_TRY(manager::own_program());
  const ProgramEnd end = AGENTCTL_TRY(run_program({program, "stop", "--all"}, true));
  Message message{Tone::result, names.empty() ? "No agent session was running" : "All agent sessions have ended", {}};
  if (end.status != manager::kExitSuccess) message = {Tone::error, "Not every agent session could be stopped", {}};
  Words lines;
  if (!names.empty()) lines.push_back(printable(join_some(names, ", ", 8)));
  for (const std::string& line : split(end.output, '\n')) {
    const bool tells = !names.empty() || end.status != manager::kExitSuccess;
    if (tells && !line.empty()) lines.push_back(printable(line));
  }
  message.text = join(lines, "\n");
  manager::notice(cat(message.title, lines.empty() ? "" : ": ", join(lines, "; ")));
  front.tell(message);
  return end.status;
}

Result<int> launch(const LaunchOptions& options, const Front& front) {
  AGENTCTL_TRY_VOID(manager::check_no_outer_session());
  if (options.here && !front.is_terminal())
    return make_error(ErrorKind::usage, "--here needs a terminal on standard input and standard error");
  if (options.stop_all) return stop_all(front);
  if (!front.is_terminal() && !front.has_display()) {
    return make_error(ErrorKind::environment, "cannot open a window: neither DISPLAY nor WAYLAND_DISPLAY is set",
                      "run it on a terminal, or from a graphical session");
  }
  if (!options.status) return start(options, front);
  const Words watch = {"status", "--watch"};
  return front.has_display() && !options.here ? run_in_new_window(watch) : run_here(watch);
}

}  // namespace

Result<int> run_launch(const LaunchOptions& options) {
  const Front front = Front::find();
  const auto status = launch(options, front);
  if (status || front.is_terminal()) return status;
  // Said first: nobody knows when a window is closed.
  manager::print_error(status.error());
  front.tell({Tone::error, "No session was started", cat(status.error().message, "\n", status.error().hint)});
  return manager::exit_status_of(status.error().kind, false);
}

}  // namespace agentctl::launcher
