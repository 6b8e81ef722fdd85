// SPDX-License-Identifier: Apache-2.0
#include "policy/env_name.h"

#include <doctest/doctest.h>

#include "policy/entry.h"

namespace agentctl::policy {

TEST_SUITE("env_name") {
  TEST_CASE("a name that sounds like a secret is one, in whatever case and wherever the word stands") {
    for (const char* name :
         {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "api_key", "DbPassword", "PGPASSWORD", "MYSQL_PWD_PASS",
          "SSH_PASSPHRASE", "GOOGLE_APPLICATION_CREDENTIALS", "NPM_CONFIG__AUTH", "SESSION_COOKIE"}) {
      CAPTURE(name);
      CHECK(is_secret_name(name));
      CHECK(needs_full_name(name));
    }
    for (const char* name : {"TERM", "LC_ALL", "LANG", "TZ", "CI", "GOPROXY", "CARGO_HOME"}) {
      CAPTURE(name);
      CHECK_FALSE(is_secret_name(name));
      CHECK_FALSE(needs_full_name(name));
    }
  }

  TEST_CASE("SEC-02: what points at a socket or makes a program load something must be named in full") {
    for (const char* name : {"SSH_AUTH_SOCK", "DOCKER_HOST", "KUBECONFIG",        "SUDO_ASKPASS",
                             "SSH_ASKPASS",   "GIT_ASKPASS", "XAUTHORITY",        "DBUS_SESSION_BUS_ADDRESS",
                             "NODE_OPTIONS",  "BASH_ENV",    "PYTHONSTARTUP",     "PYTHONPATH",
                             "PERL5OPT",      "RUBYOPT",     "GIT_SSH_COMMAND",   "GIT_CONFIG_GLOBAL",
                             "ENV",           "LESSOPEN",    "JAVA_TOOL_OPTIONS", "NOTIFY_SOCKET"}) {
      CAPTURE(name);
      CHECK(needs_full_name(name));
    }
  }

  TEST_CASE("a pattern that could only carry such variables is refused, their full names are not") {
    for (const char* entry : {"GIT_*", "SSH_*", "NODE_*", "AWS_SECRET_*", "MY_TOKEN*", "PYTHON*", "BASH_FUNC_*"}) {
      CAPTURE(entry);
      const auto checked = check_pass_entry(entry);
      REQUIRE_FALSE(checked);
      CHECK(checked.error().message == "must be named one by one: a pattern carries no secrets, sockets or code");
    }
    for (const char* entry : {"GIT_AUTHOR_NAME", "SSH_AUTH_SOCK", "GITHUB_TOKEN", "LC_*", "MYAPP_*", "!GIT_*"}) {
      CAPTURE(entry);
      CHECK(check_pass_entry(entry));
    }
  }

  TEST_CASE("everything at once, and what the dynamic linker obeys, cannot be named at all") {
    for (const char* entry : {"*", "LD_PRELOAD", "LD_*", "GLIBC_TUNABLES"}) {
      CAPTURE(entry);
      CHECK_FALSE(check_pass_entry(entry));
    }
  }
}

}  // namespace agentctl::policy
