// SPDX-License-Identifier: Apache-2.0
#include "manager/service/autostart_entry.h"

#include <doctest/doctest.h>

#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager::service {
namespace {

policy::Autostart entry_of(const char* project, const char* profile = "", const char* name = "") {
  return {.project = project, .profile = profile, .name = name, .origin = {}};
}

using Words = std::vector<std::string>;

}  // namespace

TEST_SUITE_BEGIN("autostart_entry");

TEST_CASE("an entry is a detached start in its project") {
  const auto command = autostart_command(entry_of("~/dev//x/", "claude", "morning"), "/home/u");
  REQUIRE(command.has_value());
  CHECK(command->project == "/home/u/dev/x");
  CHECK(command->words ==
        Words{"start", "--detach", "--quiet", "--project=/home/u/dev/x", "--profile=claude", "--name=morning"});
  CHECK(autostart_command(entry_of("/srv/y"), "")->words == Words{"start", "--detach", "--quiet", "--project=/srv/y"});
}

TEST_CASE("no value passes for an option") {
  const auto command = autostart_command(entry_of("/-rf", "--no-limits", "-x"), "/home/u");
  REQUIRE(command.has_value());
  CHECK(command->words ==
        Words{"start", "--detach", "--quiet", "--project=/-rf", "--profile=--no-limits", "--name=-x"});
}

TEST_CASE("a project in a home that is not known is refused") {
  CHECK_FALSE(autostart_command(entry_of("~/x"), "").has_value());
  CHECK_FALSE(autostart_command(entry_of("$HOME/x"), "u").has_value());
}

TEST_CASE("a detached session of that project and profile is what the entry asks for") {
  Record session = sample_record();
  session.parent_kind = "manager";
  session.project = "/home/u/dev/x";
  session.directory = "/home/u/dev/x";
  session.profile = "claude";
  session.name = "claude-x";
  const AutostartCommand command = *autostart_command(entry_of("~/dev/x"), "/home/u");
  CHECK(is_running(entry_of("~/dev/x"), command, {session}));
  CHECK(is_running(entry_of("~/dev/x", "claude"), command, {session}));
  CHECK(is_running(entry_of("~/dev/x", "claude", "claude-x"), command, {session}));
  CHECK_FALSE(is_running(entry_of("~/dev/x", "codex"), command, {session}));
  CHECK_FALSE(is_running(entry_of("~/dev/x", "claude", "other"), command, {session}));
  CHECK_FALSE(is_running(entry_of("~/dev/x"), *autostart_command(entry_of("~/dev/y"), "/home/u"), {session}));
  CHECK_FALSE(is_running(entry_of("~/dev/x"), command, {}));
  session.parent_kind = "caller";
  CHECK_FALSE(is_running(entry_of("~/dev/x"), command, {session}));
}

TEST_SUITE_END();

}  // namespace agentctl::manager::service
