// SPDX-License-Identifier: Apache-2.0
#include "manager/session_name.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::manager {
namespace {

std::string refused(const std::string& name, const std::vector<std::string>& taken = {}) {
  const auto checked = check_session_name(name, taken);
  INFO("name: ", printable(name));
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().kind == ErrorKind::usage);
  return checked.error().message;
}

}  // namespace

TEST_SUITE("session_name") {
  TEST_CASE("a name is made of the command's and the project's last parts") {
    CHECK(make_session_name("/opt/bin/claude", "/home/u/webshop", {}) == "claude-webshop");
    CHECK(make_session_name("codex", "/srv/api/", {}) == "codex-api");
    CHECK(make_session_name("sh", "/home/u/Web  Shop (2)", {}) == "sh-web-shop-2");
  }

  TEST_CASE("a name that is taken gets the next free number") {
    CHECK(make_session_name("sh", "/p", {"sh-p"}) == "sh-p-2");
    CHECK(make_session_name("sh", "/p", {"sh-p", "sh-p-2", "sh-p-4"}) == "sh-p-3");
  }

  TEST_CASE("every name that is made is one that the user could have given") {
    for (const char* part : {"", "/", "...", "---", "\xff\xfe", "漢字", "a\nb", "_x", ".hidden", "A B", "../..", "-rf",
                             "0123456789012345678901234567890123456789012345678901234567890123456789"}) {
      for (const char* other : {"", "/", "/p/...", "/p/\x1b[31m", "/p/ok"}) {
        const std::string name = make_session_name(part, other, {"x-x", "x-ok"});
        INFO("made '", name, "' of '", printable(part), "' and '", printable(other), "'");
        CHECK(check_session_name(name, {"x-x", "x-ok"}).has_value());
      }
    }
  }

  TEST_CASE("an id is eight hexadecimal digits and another each time") {
    std::set<std::string> ids;
    for (int round = 0; round < 64; ++round) {
      const auto id = make_session_id();
      REQUIRE(id.has_value());
      CHECK(id->size() == 8);
      CHECK(id->find_first_not_of("0123456789abcdef") == std::string::npos);
      ids.insert(*id);
    }
    CHECK(ids.size() == 64);
  }

  TEST_CASE("a name of the user's is taken as it is") {
    for (const char* name : {"a", "0", "fix.login_2-b"}) CHECK(check_session_name(name, {"other"}).has_value());
    CHECK(check_session_name(std::string(64, 'a'), {}).has_value());
  }

  TEST_CASE("a name with other characters is refused") {
    for (const char* name : {"", "-a", ".a", "_a", "A", "a b", "a/b", "../a", "a\n", "ä", "a\x1b", "--all"})
      refused(name);
    refused(std::string(65, 'a'));
    refused(std::string("a\0b", 3));
  }

  TEST_CASE("a name that runs already is refused") {
    CHECK(refused("a", {"b", "a"}).find("running already") != std::string::npos);
  }

  TEST_CASE("what is refused is shown printable") { CHECK(refused("\x1b[31m").find('\x1b') == std::string::npos); }
}

}  // namespace agentctl::manager
