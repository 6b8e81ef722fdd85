// SPDX-License-Identifier: Apache-2.0
#include "bwrap/failure.h"

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

constexpr const char* kUidMap = "bwrap: setting up uid map: Permission denied\n";

NamespaceSwitches switches(const std::string& apparmor, const std::string& clone, const std::string& max) {
  return {apparmor, clone, max, false};
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_SUITE("failure") {
  TEST_CASE("AppArmor is named where it restricts user namespaces, with its remedy") {
    const Error error = explain_failure(kUidMap, switches("1", "1", "15000"));
    CHECK(error.kind == ErrorKind::environment);
    CHECK(says(error.message, "AppArmor"));
    CHECK(says(error.message, "setting up uid map: Permission denied"));
    CHECK(says(error.hint, "apparmor_restrict_unprivileged_userns"));
  }

  TEST_CASE("disabled user namespaces are named with the switch that enables them") {
    const Error none =
        explain_failure("bwrap: Creating new namespace failed: No space left on device", switches("", "", "0"));
    CHECK(says(none.message, "user namespaces are disabled"));
    CHECK(says(none.hint, "user.max_user_namespaces"));
    const Error debian = explain_failure("bwrap: No permissions to create a new namespace", switches("", "0", "15000"));
    CHECK(says(debian.hint, "kernel.unprivileged_userns_clone=1"));
  }

  TEST_CASE("a container that masks /proc is named") {
    NamespaceSwitches container = switches("", "", "15000");
    container.in_container = true;
    const Error error = explain_failure("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", container);
    CHECK(says(error.message, "masks parts of /proc"));
  }

  TEST_CASE("a container's own filter is named") {
    NamespaceSwitches container = switches("", "", "15000");
    container.in_container = true;
    CHECK(says(explain_failure("bwrap: Creating new namespace failed: Operation not permitted", container).hint,
               "seccomp profile"));
  }

  TEST_CASE("a complaint about something else is passed on and nothing is guessed") {
    const Error error =
        explain_failure("bwrap: Can't find source path /x: No such file or directory\n", switches("1", "0", "0"));
    CHECK(error.message ==
          "bwrap cannot build the sandbox: bwrap: Can't find source path /x: No such file or directory");
    CHECK(error.hint.empty());
  }

  TEST_CASE("a bwrap that dies in silence is said to have been silent") {
    const Error error = explain_failure("", switches("1", "0", "0"));
    CHECK(says(error.message, "it said nothing"));
    CHECK(error.hint.empty());
  }

  TEST_CASE("what bwrap says cannot move the cursor or add a line") {
    const Error error = explain_failure("bwrap: \x1b[2J\nagentctl: all is well\n", switches("", "", ""));
    CHECK_FALSE(says(error.message, "\x1b"));
    CHECK_FALSE(says(error.message, "\n"));
  }
}

}  // namespace agentctl::bwrap
