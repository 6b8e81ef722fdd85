// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/terminal_choice.h"

#include <doctest/doctest.h>

#include <set>

#include "base/text.h"

namespace agentctl::launcher {
namespace {

using Words = std::vector<std::string>;

// A machine that has just these programs, all in /usr/bin; or of a path, that file.
FindProgram machine_with(std::set<std::string> programs) {
  return [programs = std::move(programs)](const std::string& name) {
    if (programs.count(name) == 0) return std::string();
    return name.find('/') == std::string::npos ? cat("/usr/bin/", name) : name;
  };
}

std::string opened(const std::string& preferred, std::set<std::string> programs) {
  const auto terminal = choose_terminal(preferred, machine_with(std::move(programs)));
  return terminal ? join(window_command(*terminal, {"agentctl", "x"}), " ") : terminal.error().message;
}

}  // namespace

TEST_SUITE("terminal choice") {
  TEST_CASE("the user's own choice comes first, then the system's, then those of desktops") {
    const std::set<std::string> all = {"xdg-terminal-exec", "x-terminal-emulator", "xterm", "foot", "konsole"};
    CHECK(opened("foot", all) == "/usr/bin/foot agentctl x");
    CHECK(opened("", all) == "/usr/bin/xdg-terminal-exec agentctl x");
    CHECK(opened("", {"x-terminal-emulator", "xterm", "konsole"}) == "/usr/bin/x-terminal-emulator -e agentctl x");
    CHECK(opened("", {"konsole", "xterm"}) == "/usr/bin/konsole -e agentctl x");
  }

  TEST_CASE("each takes a command in its own way") {
    const auto with = [](const char* name) { return opened("", {name}); };
    CHECK(with("gnome-terminal") == "/usr/bin/gnome-terminal -- agentctl x");
    CHECK(with("kgx") == "/usr/bin/kgx -- agentctl x");
    CHECK(with("ptyxis") == "/usr/bin/ptyxis --new-window -- agentctl x");
    CHECK(with("xfce4-terminal") == "/usr/bin/xfce4-terminal -x agentctl x");
    CHECK(with("alacritty") == "/usr/bin/alacritty -e agentctl x");
    CHECK(with("kitty") == "/usr/bin/kitty agentctl x");
    CHECK(with("wezterm") == "/usr/bin/wezterm start -- agentctl x");
    CHECK(with("xterm") == "/usr/bin/xterm -e agentctl x");
  }

  TEST_CASE("TERMINAL may be a path, and one that nobody knows takes -e") {
    CHECK(opened("/opt/t/gnome-terminal", {"/opt/t/gnome-terminal"}) == "/opt/t/gnome-terminal -- agentctl x");
    CHECK(opened("mine", {"mine", "xterm"}) == "/usr/bin/mine -e agentctl x");
  }

  TEST_CASE("TERMINAL may bring options, and a path with spaces is one word") {
    CHECK(opened("kitty --single-instance", {"kitty"}) == "/usr/bin/kitty --single-instance agentctl x");
    CHECK(opened("xterm  -fs 12", {"xterm"}) == "/usr/bin/xterm -fs 12 -e agentctl x");
    CHECK(opened("/opt/my terminals/foot", {"/opt/my terminals/foot", "/opt/my"}) ==
          "/opt/my terminals/foot agentctl x");
    CHECK(opened("none --such", {"xterm"}) == "/usr/bin/xterm -e agentctl x");
  }

  TEST_CASE("a TERMINAL that is not there is told, and another one taken") {
    const auto terminal = choose_terminal("fo\x1bot", machine_with({"xterm"}));
    REQUIRE(terminal.has_value());
    CHECK(terminal->program == "/usr/bin/xterm");
    CHECK(terminal->remark == "TERMINAL names 'fo\\x1bot', which is not found: taking another");
  }

  TEST_CASE("no remark where there is nothing to remark") {
    CHECK(choose_terminal("", machine_with({"xterm"}))->remark.empty());
    CHECK(choose_terminal("xterm", machine_with({"xterm"}))->remark.empty());
  }

  TEST_CASE("without any it is refused, with what helps") {
    const auto terminal = choose_terminal("", machine_with({"less", "-e"}));
    REQUIRE_FALSE(terminal.has_value());
    CHECK(terminal.error().kind == ErrorKind::environment);
    CHECK(terminal.error().message == "cannot open a window: no terminal emulator is found");
    CHECK(terminal.error().hint.find("TERMINAL") != std::string::npos);
    CHECK_FALSE(choose_terminal("foot", machine_with({})).has_value());
  }
}

}  // namespace agentctl::launcher
