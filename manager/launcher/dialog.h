// SPDX-License-Identifier: Apache-2.0
// The command lines of the programs that ask and tell in windows: zenity(1), kdialog(1), xmessage(1), and of those that
// notify: notify-send(1), gdbus(1) for org.freedesktop.Notifications. Texts must be printable already; what else a
// program would read into one (markup, escapes, options) is taken out of it here. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/launcher/picker.h"
#include "manager/launcher/terminal_choice.h"

namespace agentctl::launcher {

struct DialogProgram {
  enum class Kind { zenity, kdialog };
  Kind kind;
  std::string path;
};

// Of the two, the one of the user's desktop (XDG_CURRENT_DESKTOP) where there are both.
[[nodiscard]] std::optional<DialogProgram> choose_dialog(const std::string& desktop, const FindProgram& find);

// Prints the number of the row that was chosen, counted from 1; the last row, if `takes_directory`, is another
// directory.
[[nodiscard]] std::vector<std::string> list_dialog(const DialogProgram& program, const Question& question);
// Prints the path that was chosen, with a newline after it.
[[nodiscard]] std::vector<std::string> directory_dialog(const DialogProgram& program, const std::string& from);

enum class Tone { error, result };
struct Message {
  Tone tone = Tone::error;
  std::string title;
  std::string text;  // lines
};

// Every way to show a message that there is here, the best first. `has_display`: a window can be opened.
[[nodiscard]] std::vector<std::vector<std::string>> message_commands(const Message& message, bool has_display,
                                                                     const std::optional<DialogProgram>& dialog,
                                                                     const FindProgram& find);

}  // namespace agentctl::launcher
