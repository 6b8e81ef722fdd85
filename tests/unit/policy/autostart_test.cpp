// SPDX-License-Identifier: Apache-2.0
#include "policy/autostart.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::policy {
namespace {

std::vector<Autostart> read(std::string_view text) {
  ReadOutcome outcome = read_policy(text, "policy.toml");
  for (const Diagnostic& mistake : outcome.mistakes) FAIL_CHECK(render(mistake));
  return std::move(outcome.autostart);
}

std::string read_bad(std::string_view text) {
  const auto result = to_result(read_policy(text, "policy.toml").mistakes);
  return result ? "accepted" : result.error().message;
}

}  // namespace

TEST_SUITE_BEGIN("autostart");

TEST_CASE("each entry is read with the place where it begins, in the order of the file") {
  const std::vector<Autostart> entries = read(
      "[[autostart]]\nproject = \"~/dev/x\"\nprofile = \"claude\"\n\n[[autostart]]\nproject = \"/srv/y\"\nname = "
      "\"y\"\n");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].project == "~/dev/x");
  CHECK(entries[0].profile == "claude");
  CHECK(entries[0].name.empty());
  CHECK(entries[0].origin.line == 1);
  CHECK(entries[1].project == "/srv/y");
  CHECK(entries[1].profile.empty());
  CHECK(entries[1].name == "y");
  CHECK(entries[1].origin.line == 5);
}

TEST_CASE("no entry is no mistake, and one project may have several sessions") {
  CHECK(read("autostart = []\n").empty());
  CHECK(read("").empty());
  const std::vector<Autostart> entries = read(
      "[[autostart]]\nproject = \"~/x\"\nprofile = \"claude\"\n[[autostart]]\nproject = \"~/x\"\nprofile = \"codex\"\n"
      "[[autostart]]\nproject = \"~/x\"\nprofile = \"codex\"\nname = \"second\"\n");
  CHECK(entries.size() == 3);
}

TEST_CASE("the same session twice is refused where it stands the second time") {
  const std::string text =
      read_bad("[[autostart]]\nproject = \"~/x\"\n[[autostart]]\nproject = \"$HOME/x/\"\nprofile = \"\"\n");
  CHECK(text.find("policy.toml:5:11: error: 'profile' must be the name of a profile") != std::string::npos);
  CHECK(read_bad("[[autostart]]\nproject = \"~/x\"\n[[autostart]]\nproject = \"$HOME/x/\"\n")
            .starts_with("policy.toml:3:1: error: the same session stands in line 1"));
}

TEST_CASE("a name that two sessions would have is refused") {
  CHECK(read_bad("[[autostart]]\nproject = \"~/x\"\nname = \"n\"\n[[autostart]]\nproject = \"~/y\"\nname = \"n\"\n")
            .starts_with("policy.toml:4:1: error: the name 'n' stands in line 1"));
}

TEST_CASE("a project that counts from nowhere is refused") {
  for (const char* project : {"", "x", "./x", "..", "!~/x", "~other/x", "$XDG_RUNTIME_DIR", "~/x*", "~/\\u0000"}) {
    CAPTURE(project);
    const std::string text = read_bad(cat("[[autostart]]\nproject = \"", project, "\"\n"));
    CHECK(text.starts_with("policy.toml:2:11: error: 'project' must "));
  }
}

TEST_CASE("all mistakes are told at once") {
  const std::string text = read_bad("[[autostart]]\nproject = 1\ncommand = \"x\"\n[[autostart]]\nname = \"\"\n");
  CHECK(text.find("policy.toml:2:11: error: 'project' must be text in quotes; got an integer") != std::string::npos);
  CHECK(text.find("policy.toml:3:1: error: unknown key 'command' in [[autostart]]") != std::string::npos);
  CHECK(text.find("policy.toml:4:1: error: [[autostart]] must name a 'project'") != std::string::npos);
  CHECK(text.find("policy.toml:5:8: error: 'name' must be the name of a session") != std::string::npos);
}

TEST_CASE("any other file than the user's own must not have one, and is told with its other mistakes") {
  constexpr std::string_view kText = "[limits]\ntasks-max = \"x\"\n[[autostart]]\nproject = \"~/x\"\n";
  const auto refused = load_policy_text(kText, "p.toml");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::policy);
  CHECK(refused.error().message.find("p.toml:2:13: error: 'tasks-max'") != std::string::npos);
  CHECK(refused.error().message.find(
            "p.toml:3:1: error: [[autostart]] must stand nowhere but in your own policy.toml") != std::string::npos);
  CHECK_FALSE(load_policy_text("[[autostart]]\nproject = \"~/x\"\n", "p.toml").has_value());
  CHECK(load_policy_text("[[autostart]]\nproject = \"~/x\"\n", "p.toml", AutostartTables::allowed).has_value());
}

TEST_CASE("a file that is not there starts nothing") {
  const auto entries = load_autostart("/nonexistent/policy.toml");
  REQUIRE(entries.has_value());
  CHECK(entries->empty());
}

TEST_SUITE_END();

}  // namespace agentctl::policy
