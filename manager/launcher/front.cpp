// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/front.h"

#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/launcher/program_run.h"

namespace agentctl::launcher {
namespace {

constexpr std::size_t kLongestLine = 8192;

std::string variable(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// In the terminal's own line mode: editing and Ctrl-C are the kernel's. Nothing: the end of the input.
std::optional<std::string> read_line() {
  std::string line;
  char character = 0;
  while (line.size() < kLongestLine) {
    if (::read(STDIN_FILENO, &character, 1) != 1) return std::nullopt;
    if (character == '\n') return line;
    line += character;
  }
  return std::nullopt;
}

Result<Choice> ask_on_terminal(const Question& question) {
  Picker picker(question);
  Choice choice;
  while (choice.kind == Choice::Kind::nothing) {
    AGENTCTL_TRY_VOID(write_all(STDERR_FILENO, picker.screen()));
    const auto line = read_line();
    if (!line) {
      AGENTCTL_TRY_VOID(write_all(STDERR_FILENO, "\n"));
      break;
    }
    choice = picker.answer(*line);
  }
  return choice;
}

// What the program printed, without the newline that it puts after it: a name may end with one of its own. Nothing
// where it was closed.
std::optional<std::string> answer_of(const ProgramEnd& end) {
  if (end.status != 0 || end.output.size() < 2 || !end.output.ends_with('\n')) return std::nullopt;
  return end.output.substr(0, end.output.size() - 1);
}

Result<Choice> ask_for_directory(const DialogProgram& dialog, const std::string& from) {
  const ProgramEnd end = AGENTCTL_TRY(run_program(directory_dialog(dialog, from)));
  const auto path = answer_of(end);
  return path ? Choice{Choice::Kind::directory, 0, *path} : Choice{};
}

Result<Choice> ask_in_window(const DialogProgram& dialog, const Question& question, const std::string& home) {
  const ProgramEnd end = AGENTCTL_TRY(run_program(list_dialog(dialog, question)));
  const auto row = answer_of(end);
  if (!row) return Choice{};
  const auto number = parse_count(*row);
  const std::size_t items = question.labels.size();
  if (number && *number >= 1 && *number <= items) return Choice{Choice::Kind::item, *number - 1, {}};
  if (number && *number == items + 1 && question.takes_directory) return ask_for_directory(dialog, home);
  return make_error(ErrorKind::environment, cat("'", printable(dialog.path), "' has answered '", printable(*row),
                                                "' to a question about ", items, " things"));
}

}  // namespace

Front Front::find() {
  Front front;
  front.is_terminal_ = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  front.has_display_ = !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty();
  front.home_ = variable("HOME");
  front.dialog_ = choose_dialog(variable("XDG_CURRENT_DESKTOP"), find_program);
  return front;
}

Result<Choice> Front::ask(const Question& question) const {
  if (is_terminal_) return ask_on_terminal(question);
  return ask_in_window(*dialog_, question, home_);
}

Result<Choice> Front::ask_directory(const std::string& text) const {
  if (is_terminal_) return ask_on_terminal({text, {}, true});
  return ask_for_directory(*dialog_, home_);
}

void Front::tell(const Message& message) const {
  if (is_terminal_) return;
  for (const auto& command : message_commands(message, has_display_, dialog_, find_program)) {
    // One that says that it could not may have been closed by the user: then it is shown twice rather than never.
    if (const auto end = run_program(command); end && end->status == 0) return;
  }
}

}  // namespace agentctl::launcher
