// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/dialog.h"

#include "base/text.h"

namespace agentctl::launcher {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kTitle = "agentctl";
constexpr const char* kOther = "Another directory …";

std::string replaced(std::string_view text, char character, std::string_view by) {
  std::string out;
  for (const char each : text) {
    if (each == character)
      out += by;
    else
      out += each;
  }
  return out;
}

// For the markup of Pango, Qt and notifications.
std::string without_markup(std::string_view text) {
  return replaced(replaced(replaced(text, '&', "&amp;"), '<', "&lt;"), '>', "&gt;");
}

// zenity reads "\n" and its like in texts (g_strcompress).
std::string zenity_text(std::string_view text) { return replaced(text, '\\', "\\\\"); }

// kdialog reads "\n" and "\\", and guesses what is rich text: so all of it is.
std::string kdialog_text(std::string_view text) {
  return cat("<qt>", replaced(replaced(without_markup(text), '\\', "\\\\"), '\n', "<br/>"), "</qt>");
}

// A string in the text format of GVariant.
std::string variant_text(std::string_view text) {
  return cat("'", replaced(replaced(replaced(text, '\\', "\\\\"), '\'', "\\'"), '\n', "\\n"), "'");
}

Words with_labels(Words command, const Question& question) {
  std::size_t number = 1;
  for (const std::string& label : question.labels) {
    command.push_back(std::to_string(number++));
    command.push_back(label);
  }
  if (question.takes_directory) command.insert(command.end(), {std::to_string(number), kOther});
  return command;
}

Words zenity_message(const std::string& path, const Message& message) {
  return {path,          message.tone == Tone::error ? "--error" : "--info",
          "--no-markup", cat("--title=", kTitle),
          "--width=480", cat("--text=", zenity_text(cat(message.title, "\n\n", message.text)))};
}

Words kdialog_message(const std::string& path, const Message& message) {
  return {path, "--title", kTitle, message.tone == Tone::error ? "--error" : "--msgbox",
          kdialog_text(cat(message.title, "\n\n", message.text))};
}

}  // namespace

std::optional<DialogProgram> choose_dialog(const std::string& desktop, const FindProgram& find) {
  const std::string zenity = find("zenity");
  const std::string kdialog = find("kdialog");
  bool is_kde = false;
  for_each_part(desktop, ':', [&](std::string_view part) { is_kde = is_kde || part == "KDE"; });
  if (!kdialog.empty() && (is_kde || zenity.empty())) return DialogProgram{DialogProgram::Kind::kdialog, kdialog};
  if (!zenity.empty()) return DialogProgram{DialogProgram::Kind::zenity, zenity};
  return std::nullopt;
}

Words list_dialog(const DialogProgram& program, const Question& question) {
  if (program.kind == DialogProgram::Kind::kdialog)
    return with_labels({program.path, "--title", kTitle, "--menu", cat(question.text, ":")}, question);
  return with_labels(
      {program.path, "--list", cat("--title=", kTitle), cat("--text=", question.text, ":"), "--width=640",
       "--height=400", "--hide-header", "--column=N", "--column=Name", "--hide-column=1", "--print-column=1"},
      question);
}

Words directory_dialog(const DialogProgram& program, const std::string& from) {
  if (program.kind == DialogProgram::Kind::kdialog)
    return {program.path, "--title", kTitle, "--getexistingdirectory", from};
  return {program.path, "--file-selection", "--directory", cat("--title=", kTitle), cat("--filename=", from, "/")};
}

std::vector<Words> message_commands(const Message& message, bool has_display,
                                    const std::optional<DialogProgram>& dialog, const FindProgram& find) {
  std::vector<Words> commands;
  const auto add_notification = [&] {
    // Others than text are for the server to interpret as it likes.
    if (const std::string program = find("notify-send"); !program.empty())
      commands.push_back({program, cat("--app-name=", kTitle), cat("--icon=", kTitle), "--", message.title,
                          without_markup(message.text)});
    if (const std::string program = find("gdbus"); !program.empty())
      commands.push_back({program, "call", "--session", "--dest=org.freedesktop.Notifications",
                          "--object-path=/org/freedesktop/Notifications",
                          "--method=org.freedesktop.Notifications.Notify", "--", variant_text(kTitle), "uint32 0",
                          variant_text(kTitle), variant_text(message.title), variant_text(without_markup(message.text)),
                          "@as []", "@a{sv} {}", "int32 -1"});
  };
  // What went well needs no window that must be closed.
  if (message.tone == Tone::result) add_notification();
  if (has_display && dialog) {
    commands.push_back(dialog->kind == DialogProgram::Kind::zenity ? zenity_message(dialog->path, message)
                                                                   : kdialog_message(dialog->path, message));
  }
  if (message.tone == Tone::error) add_notification();
  if (const std::string program = find("xmessage"); has_display && !program.empty())
    commands.push_back({program, "-center", cat(message.title, "\n\n", message.text)});
  return commands;
}

}  // namespace agentctl::launcher
