// SPDX-License-Identifier: Apache-2.0
#include "bwrap/registry_login.h"

#include <doctest/doctest.h>

#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {

TEST_SUITE("registry_login") {
  TEST_CASE("a token, a password or a login written in the file is one") {
    for (const char* text :
         {"//registry.npmjs.org/:_authToken=npm_abc\n", "registry=https://r\n\n _auth = \"dTpw\"\r\n",
          "//r/:_password='cA=='", "//r/:_authToken=npm_${X}", "npmAuthToken: \"abc\"\n",
          "npmRegistries:\n  \"//r\":\n    npmAuthIdent: u:p\n", "_AUTHTOKEN=x", "//r/:_authToken=${A}${B}"}) {
      CAPTURE(text);
      CHECK(holds_registry_login(text));
    }
  }

  TEST_CASE("a variable, a comment, an empty value and other settings are none") {
    for (const char* text :
         {"", "registry=https://registry.example.org/\n@a:registry=https://r/\n", "//r/:_authToken=${NPM_TOKEN}\n",
          "//r/:_authToken = \"${NPM_TOKEN}\"\n", "_auth=\n", "# _auth=x\n; _password=x\n",
          "always-auth=true\nemail=a@b\n", "npmAuthToken: \"${NPM_TOKEN}\"\n", "npmAlwaysAuth: true\n"}) {
      CAPTURE(text);
      CHECK_FALSE(holds_registry_login(text));
    }
  }

  TEST_CASE("a file that cannot be read counts as a login") {
    const test::ScratchDir scratch;
    CHECK_FALSE(holds_registry_login_file(HostPath(scratch.write(".npmrc", "registry=x\n"))));
    CHECK(holds_registry_login_file(HostPath(scratch.write(".npmrc", "_auth=x\n"))));
    CHECK(holds_registry_login_file(HostPath(scratch.write("large", std::string(1U << 20, '\n')))));
    CHECK(holds_registry_login_file(HostPath(scratch.path() + "/gone")));
  }

  TEST_CASE("the name tells which files may hold one") {
    CHECK(may_hold_registry_login("./**/.npmrc"));
    CHECK(may_hold_registry_login("/p/.yarnrc.yml"));
    CHECK_FALSE(may_hold_registry_login("./**/.env"));
    CHECK_FALSE(may_hold_registry_login("a.npmrc"));
  }
}

}  // namespace agentctl::bwrap
