// SPDX-License-Identifier: Apache-2.0
#include "manager/exec_surface.h"

#include <doctest/doctest.h>

#include "manager/surface_rules.h"

namespace agentctl::manager {
namespace {

bwrap::Operation bind(const std::string& source, const std::string& destination, bwrap::Access access) {
  bwrap::Operation operation;
  operation.kind = bwrap::OperationKind::bind;
  operation.source = bwrap::HostPath(source);
  operation.destination = bwrap::SandboxPath(destination);
  operation.access = access;
  return operation;
}

std::string kind_of(const char* path, SurfaceType type) {
  const SurfaceRule* rule = find_surface_rule(path, type);
  return rule == nullptr ? "" : std::string(rule->kind);
}

}  // namespace

TEST_SUITE("exec surface") {
  TEST_CASE("the roots are the writable places that the host knows by the same name, the highest ones") {
    bwrap::Plan plan;
    using enum bwrap::Access;
    plan.operations = {bind("/p/.git", "/p/.git", read_write), bind("/p", "/p", read_write),
                       bind("/usr", "/usr", read_only), bind("/state/cache", "/home/u/.cache", read_write),
                       bind("/p2", "/p2", read_write)};
    CHECK(surface_roots(plan) == std::vector<std::string>{"/p", "/p2"});
  }

  TEST_CASE("a clock that was set back during the session hides nothing, one set forward changes nothing") {
    CHECK(changed_since({1'000'000, 500}, {1'000'900, 1'400}) == 1'000'000);
    CHECK(changed_since({1'000'000, 500}, {900'000, 1'500}) == 899'000);
    CHECK(changed_since({1'000'000, 500}, {5'000'000, 1'500}) == 1'000'000);
  }

  TEST_CASE("a rule asks for whole components and for the right type") {
    CHECK(kind_of("/p/.git/hooks", SurfaceType::directory) == "git hook");
    CHECK(kind_of("/p/x.git/hooks", SurfaceType::directory).empty());
    CHECK(kind_of("/p/hooks", SurfaceType::directory).empty());
    CHECK(kind_of("/p/Makefile", SurfaceType::directory).empty());
    CHECK(kind_of("/p/.vscode", SurfaceType::file).empty());
    CHECK(kind_of("/p/.vscode", SurfaceType::link) == "editor settings");
    CHECK(kind_of("Makefile", SurfaceType::file) == "build file");
    CHECK(kind_of("hooks", SurfaceType::directory).empty());
  }

  TEST_CASE("a star stays within one component") {
    CHECK(kind_of("/p/.claude/settings.local.json", SurfaceType::file) == "agent settings");
    CHECK(kind_of("/p/.claude/settings/x.json", SurfaceType::file).empty());
    CHECK(kind_of("/p/bin/python3.12", SurfaceType::file) == "Python start-up file");
    CHECK(kind_of("/p/a [x].desktop", SurfaceType::file) == "login file");
  }

  TEST_CASE("agents' sessions, logs and logins are not settings") {
    for (const char* path : {"/h/.claude/projects/a.jsonl", "/h/.claude/.credentials.json", "/h/.codex/auth.json",
                             "/h/.codex/sessions/1", "/h/.gemini/oauth_creds.json", "/h/.pi/agent/auth.json"}) {
      CHECK_MESSAGE(kind_of(path, SurfaceType::file).empty(), path);
    }
  }
}

}  // namespace agentctl::manager
