// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/window_program.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/text.h"
#include "manager/exit_status.h"
#include "manager/launcher/plain_word.h"
#include "manager/launcher/program_run.h"
#include "manager/notice.h"
#include "manager/own_program.h"

namespace agentctl::launcher {
namespace {

// By its number and start time, so that the signal reaches no stranger. A launcher that is gone has no use for it.
void tell_launcher(const ProcessIdentity& launcher) {
  const auto pidfd = open_pidfd(launcher.pid);
  if (pidfd && is_alive(launcher)) (void)signal_pidfd(pidfd->get(), SIGUSR1);
}

Result<int> run_command(const std::vector<std::string>& words) {
  const WindowRequest request = AGENTCTL_TRY(parse_window_words(words));
  SpawnRequest command;
  command.argv = {AGENTCTL_TRY(manager::own_program())};
  command.argv.insert(command.argv.end(), request.words.begin(), request.words.end());
  command.standard_input = STDIN_FILENO;
  const auto pid = spawn(command);
  tell_launcher(request.launcher);  // also where that has failed: the window is there, and says why
  return await_exit(AGENTCTL_TRY(pid));
}

// One key, whichever: what was typed for the agent before does not count. The end of the terminal counts as one.
void await_key() {
  termios attributes{};
  if (::tcgetattr(STDIN_FILENO, &attributes) != 0) return;
  attributes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  attributes.c_cc[VMIN] = 1;
  attributes.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes) != 0) return;
  char key = 0;
  (void)!::read(STDIN_FILENO, &key, 1);
}

bool is_to_be_read(int status) {
  // Whoever has typed Ctrl-C knows why it ended.
  return status != manager::kExitSuccess && status != manager::kExitSignalBase + SIGINT;
}

}  // namespace

std::vector<std::string> to_window_words(const WindowRequest& request) {
  std::vector<std::string> words = {std::string(manager::kWindowVerb), std::to_string(request.launcher.pid),
                                    std::to_string(request.launcher.start_time)};
  for (const std::string& word : request.words) words.push_back(to_plain_word(word));
  return words;
}

Result<WindowRequest> parse_window_words(const std::vector<std::string>& words) {
  constexpr std::size_t kFewest = 3;
  const auto wrong = [] { return make_error(ErrorKind::usage, "these are not the words that a launcher writes"); };
  if (words.size() < kFewest) return wrong();
  const auto pid = parse_count(words[0]);
  const auto start_time = parse_count(words[1]);
  if (!pid || !start_time || *pid == 0 || *pid > INT32_MAX) return wrong();
  WindowRequest request;
  request.launcher = {static_cast<pid_t>(*pid), *start_time};
  for (std::size_t at = 2; at < words.size(); ++at) request.words.push_back(AGENTCTL_TRY(from_plain_word(words[at])));
  return request;
}

Result<int> run_in_window(const manager::WindowOptions& options) {
  // The keyboard's signals are the command's; it has them as by default.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  const auto end = run_command(options.words);
  if (!end) manager::print_error(end.error());
  const int status = end ? *end : manager::exit_status_of(end.error().kind, false);
  if (!is_to_be_read(status) || ::isatty(STDIN_FILENO) != 1) return status;
  manager::notice(cat("ended with status ", status, "; press a key to close this window"));
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGQUIT, SIG_DFL);
  await_key();
  return status;
}

}  // namespace agentctl::launcher
