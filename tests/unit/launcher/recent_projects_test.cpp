// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/recent_projects.h"

#include <doctest/doctest.h>

#include <set>

#include "base/text.h"

namespace agentctl::launcher {
namespace {

manager::KeptReceipt receipt(const std::string& project, const char* profile, int started) {
  const std::string text =
      cat(R"({"project":)", json_quote(project), R"(,"profile":")", profile, R"(","started_usec":)", started, "}");
  return {text, *manager::parse_json(text)};
}

manager::KnownSession session(const char* project, const char* profile, std::uint64_t started) {
  manager::KnownSession known;
  known.record.project = project;
  known.record.profile = profile;
  known.record.started_usec = started;
  return known;
}

bool everywhere(const std::string&) { return true; }

}  // namespace

TEST_SUITE("recent projects") {
  TEST_CASE("each project once, the one used last first, with the profile it was used with last") {
    const auto recent =
        find_recent_projects({receipt("/p/a", "claude", 10), receipt("/p/b", "codex", 30), receipt("/p/a", "pi", 20)},
                             {session("/p/c", "shell", 5)}, everywhere);
    CHECK(recent == std::vector<RecentProject>{{"/p/b", "codex", 30}, {"/p/a", "pi", 20}, {"/p/c", "shell", 5}});
  }

  TEST_CASE("a session that runs counts from its start") {
    const auto recent = find_recent_projects({receipt("/p/a", "claude", 10)}, {session("/p/b", "pi", 11)}, everywhere);
    REQUIRE(recent.size() == 2);
    CHECK(recent[0].path == "/p/b");
  }

  TEST_CASE("what is gone is left out, and looked for once") {
    std::multiset<std::string> asked;
    const auto recent = find_recent_projects(
        {receipt("/gone", "claude", 3), receipt("/gone", "claude", 2), receipt("/there", "claude", 1)}, {},
        [&](const std::string& path) {
          asked.insert(path);
          return path == "/there";
        });
    REQUIRE(recent.size() == 1);
    CHECK(recent[0].path == "/there");
    CHECK(asked.count("/gone") == 1);
  }

  TEST_CASE("a receipt without an absolute path is nobody's project") {
    CHECK(find_recent_projects({receipt("", "claude", 3), receipt("-x", "claude", 2), receipt("a/b", "claude", 1)}, {},
                               everywhere)
              .empty());
  }

  TEST_CASE("of many only the last are offered") {
    std::vector<manager::KeptReceipt> many;
    for (int at = 0; at < 50; ++at) many.push_back(receipt(cat("/p/", at), "claude", at));
    const auto recent = find_recent_projects(many, {}, everywhere);
    REQUIRE(recent.size() == kMostProjects);
    CHECK(recent.front().path == "/p/49");
    CHECK(recent.back().path == "/p/30");
  }

  TEST_CASE("a label shortens the home and nothing else, and is safe to be shown") {
    CHECK(project_label("/home/ada/dev/x", "/home/ada") == "~/dev/x");
    CHECK(project_label("/home/adam/x", "/home/ada") == "/home/adam/x");
    CHECK(project_label("/home/ada", "/home/ada") == "/home/ada");
    CHECK(project_label("/x", "/") == "/x");
    CHECK(project_label("/x", "") == "/x");
    CHECK(project_label("/home/ada/\x1b[2J\n", "/home/ada") == "~/\\x1b[2J\\x0a");
  }
}

}  // namespace agentctl::launcher
