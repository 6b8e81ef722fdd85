// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/dialog.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace agentctl::launcher {
namespace {

using Words = std::vector<std::string>;

FindProgram machine_with(std::set<std::string> programs) {
  return [programs = std::move(programs)](const std::string& name) {
    return programs.count(name) == 0 ? std::string() : cat("/usr/bin/", name);
  };
}

const DialogProgram kZenity{DialogProgram::Kind::zenity, "/usr/bin/zenity"};
const DialogProgram kKdialog{DialogProgram::Kind::kdialog, "/usr/bin/kdialog"};

bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The programs that are tried, in order.
std::string tried(Tone tone, bool has_display, const std::optional<DialogProgram>& dialog,
                  std::set<std::string> programs) {
  Words names;
  for (const Words& command :
       message_commands({tone, "t", "x"}, has_display, dialog, machine_with(std::move(programs))))
    names.push_back(command[0].substr(command[0].rfind('/') + 1));
  return join(names, " ");
}

}  // namespace

TEST_SUITE("dialogs") {
  TEST_CASE("the desktop's own program is taken where there are both") {
    const auto chosen = [](const char* desktop, std::set<std::string> programs) {
      const auto dialog = choose_dialog(desktop, machine_with(std::move(programs)));
      return dialog ? dialog->path : std::string();
    };
    CHECK(chosen("KDE", {"zenity", "kdialog"}) == "/usr/bin/kdialog");
    CHECK(chosen("ubuntu:GNOME", {"zenity", "kdialog"}) == "/usr/bin/zenity");
    CHECK(chosen("GNOME", {"kdialog"}) == "/usr/bin/kdialog");
    CHECK(chosen("KDE", {"zenity"}) == "/usr/bin/zenity");
    CHECK(chosen("NOTKDE", {"zenity", "kdialog"}) == "/usr/bin/zenity");
    CHECK(chosen("KDE", {"xmessage"}).empty());
  }

  TEST_CASE("a list has a number for each row, and one more row for another directory") {
    const Words zenity = list_dialog(kZenity, {"Project", {"~/a b", "~/c"}, true});
    CHECK(Words(zenity.end() - 6, zenity.end()) == Words{"1", "~/a b", "2", "~/c", "3", "Another directory …"});
    CHECK(has(zenity, "--print-column=1"));
    const Words kdialog = list_dialog(kKdialog, {"Agent", {"claude", "pi"}, false});
    CHECK(kdialog == Words{"/usr/bin/kdialog", "--title", "agentctl", "--menu", "Agent:", "1", "claude", "2", "pi"});
  }

  TEST_CASE("a directory is asked for from the home") {
    CHECK(has(directory_dialog(kZenity, "/home/ada"), "--filename=/home/ada/"));
    CHECK(directory_dialog(kKdialog, "/home/ada").back() == "/home/ada");
  }

  TEST_CASE("a text is never read as markup, escapes or options") {
    const Message message{Tone::error, "No session", "<b>\\n & 'x'"};
    const auto commands = message_commands(message, true, kZenity, machine_with({"notify-send", "gdbus", "xmessage"}));
    REQUIRE(commands.size() == 4);
    CHECK(has(commands[0], "--no-markup"));
    CHECK(commands[0].back() == "--text=No session\n\n<b>\\\\n & 'x'");
    CHECK(commands[1].back() == "&lt;b&gt;\\n &amp; 'x'");
    CHECK(*(commands[1].end() - 3) == "--");
    CHECK(has(commands[2], "'&lt;b&gt;\\\\n &amp; \\'x\\''"));
    const auto kde = message_commands(message, true, kKdialog, machine_with({}));
    REQUIRE(kde.size() == 1);
    CHECK(kde[0].back() == "<qt>No session<br/><br/>&lt;b&gt;\\\\n &amp; 'x'</qt>");
  }

  TEST_CASE("an error is shown in a window if possible, a result by a notification") {
    const std::set<std::string> all = {"notify-send", "gdbus", "xmessage"};
    CHECK(tried(Tone::error, true, kZenity, all) == "zenity notify-send gdbus xmessage");
    CHECK(tried(Tone::result, true, kZenity, all) == "notify-send gdbus zenity xmessage");
    CHECK(tried(Tone::error, true, std::nullopt, {"xmessage"}) == "xmessage");
  }

  TEST_CASE("without a display no window is tried") {
    CHECK(tried(Tone::error, false, kZenity, {"notify-send", "xmessage"}) == "notify-send");
    CHECK(tried(Tone::error, false, kKdialog, {}).empty());
  }
}

}  // namespace agentctl::launcher
