// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/terminal_choice.h"

#include <optional>
#include <utility>

#include "base/text.h"

namespace agentctl::launcher {
namespace {

struct Known {
  std::string_view name;
  std::vector<std::string> options;
};

// In the order in which they are tried: first the user's or the system's own choice, then those of desktops.
const std::vector<Known>& known_terminals() {
  static const std::vector<Known> terminals = {
      {"xdg-terminal-exec", {}},
      {"x-terminal-emulator", {"-e"}},
      {"ptyxis", {"--new-window", "--"}},
      {"gnome-terminal", {"--"}},
      {"kgx", {"--"}},
      {"konsole", {"-e"}},
      {"xfce4-terminal", {"-x"}},
      {"mate-terminal", {"-x"}},
      {"ghostty", {"-e"}},
      {"foot", {}},
      {"kitty", {}},
      {"alacritty", {"-e"}},
      {"wezterm", {"start", "--"}},
      {"urxvt", {"-e"}},
      {"xterm", {"-e"}},
  };
  return terminals;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string> options_of(const std::string& program) {
  for (const Known& known : known_terminals()) {
    if (known.name == base_name(program)) return known.options;
  }
  return {"-e"};  // what xterm began and most others follow
}

// "kitty --single-instance": as a name it is looked for whole, since a path may hold spaces, and then by its first
// word.
std::optional<Terminal> find_preferred(const std::string& preferred, const FindProgram& find) {
  if (std::string program = find(preferred); !program.empty())
    return Terminal{std::move(program), options_of(preferred), {}};
  std::vector<std::string> words;
  for (std::string& word : split(preferred, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  if (words.size() < 2) return std::nullopt;
  std::string program = find(words[0]);
  if (program.empty()) return std::nullopt;
  std::vector<std::string> options(words.begin() + 1, words.end());
  for (std::string& option : options_of(words[0])) options.push_back(std::move(option));
  return Terminal{std::move(program), std::move(options), {}};
}

}  // namespace

Result<Terminal> choose_terminal(const std::string& preferred, const FindProgram& find) {
  std::string remark;
  if (!preferred.empty()) {
    if (auto terminal = find_preferred(preferred, find)) return std::move(*terminal);
    remark = cat("TERMINAL names '", printable(preferred), "', which is not found: taking another");
  }
  for (const Known& known : known_terminals()) {
    std::string program = find(std::string(known.name));
    if (!program.empty()) return Terminal{std::move(program), known.options, std::move(remark)};
  }
  return make_error(ErrorKind::environment, "cannot open a window: no terminal emulator is found",
                    "install one, such as xterm, or set TERMINAL to the one you have");
}

std::vector<std::string> window_command(const Terminal& terminal, const std::vector<std::string>& words) {
  std::vector<std::string> command = {terminal.program};
  command.insert(command.end(), terminal.options.begin(), terminal.options.end());
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

}  // namespace agentctl::launcher
