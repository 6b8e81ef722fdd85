// SPDX-License-Identifier: Apache-2.0
#include "manager/registry.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager {
namespace {

Listing listing(const std::vector<std::string>& names) {
  Listing made;
  for (const std::string& name : names) {
    Record record = sample_record();
    record.name = name;
    record.id = cat("0000000", made.sessions.size());
    made.sessions.push_back({cat("/run/", record.id), record});
  }
  return made;
}

std::string found(const Listing& sessions, const std::string& name) {
  const auto session = find_session(sessions, name);
  REQUIRE_MESSAGE(session.has_value(), session.error().message);
  return session->record.name;
}

}  // namespace

TEST_SUITE("find_session") {
  TEST_CASE("a beginning that only one name has is enough") {
    const Listing sessions = listing({"claude-shop", "codex-shop"});
    CHECK(found(sessions, "cl") == "claude-shop");
    CHECK(found(sessions, "codex-shop") == "codex-shop");
  }

  TEST_CASE("a whole name wins over longer names that begin with it") {
    CHECK(found(listing({"sh-p-2", "sh-p", "sh-p-3"}), "sh-p") == "sh-p");
  }

  TEST_CASE("an id names its session") { CHECK(found(listing({"a", "b"}), "00000001") == "b"); }

  TEST_CASE("a beginning of several names is refused with the candidates") {
    const auto session = find_session(listing({"sh-a", "sh-b", "zsh"}), "sh");
    REQUIRE_FALSE(session.has_value());
    CHECK(session.error().kind == ErrorKind::usage);
    CHECK(session.error().hint == "candidates: sh-a, sh-b");
  }

  TEST_CASE("an unknown name is refused with what runs") {
    const auto session = find_session(listing({"sh-a", "sh-b"}), "x\x1b");
    REQUIRE_FALSE(session.has_value());
    CHECK(session.error().message.find("not found") != std::string::npos);
    CHECK(session.error().message.find('\x1b') == std::string::npos);
    CHECK(session.error().hint == "running: sh-a, sh-b");
    CHECK(find_session({}, "x").error().hint == "no session is running");
  }

  TEST_CASE("nothing is no beginning, and the middle of a name no beginning either") {
    CHECK_FALSE(find_session(listing({"sh-a"}), "").has_value());
    CHECK_FALSE(find_session(listing({"sh-a"}), "h-a").has_value());
    CHECK_FALSE(find_session(listing({"sh-a"}), "sh-ab").has_value());
    CHECK_FALSE(find_session(listing({"sh-a"}), "0000000").has_value());
  }
}

}  // namespace agentctl::manager
