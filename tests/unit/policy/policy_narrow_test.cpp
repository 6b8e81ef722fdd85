// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "policy/policy_merge.h"

namespace agentctl::policy {
namespace {

constexpr MachineSize kMachine = {16ULL << 30, 8};

Policy layer(std::string_view text, std::string_view source) {
  ReadOutcome outcome = read_policy(text, source);
  for (const Diagnostic& mistake : outcome.mistakes) FAIL_CHECK(render(mistake));
  return std::move(outcome.policy);
}

struct Narrowed {
  Policy policy;
  std::vector<std::string> mistakes;
};

Narrowed narrow_texts(std::string_view base, std::string_view project) {
  std::vector<Diagnostic> mistakes;
  Narrowed narrowed;
  narrowed.policy = narrow(layer(base, "user"), layer(project, ".agentctl.toml"), kMachine, mistakes);
  for (const Diagnostic& mistake : mistakes) narrowed.mistakes.push_back(render(mistake));
  return narrowed;
}

// The one refusal, without the words that all of them share.
std::string refusal(std::string_view base, std::string_view project) {
  const std::string_view shared = ": error: a project's file must not widen the sandbox: this would ";
  const Narrowed narrowed = narrow_texts(base, project);
  if (narrowed.mistakes.size() != 1) return "not one mistake";
  std::string text = narrowed.mistakes[0];
  const std::size_t at = text.find(shared);
  if (at == std::string::npos) return text;
  return text.replace(at, shared.size(), " ");
}

}  // namespace

TEST_SUITE_BEGIN("policy_narrow");

TEST_CASE("a project may hide, protect, lower limits and close the network") {
  const Narrowed narrowed = narrow_texts("[limits]\nmemory-max = \"60%\"\n[network]\nmode = \"host\"", R"(
[limits]
memory-max = "8G"
cpu-quota = "200%"
tasks-max = 100
memory-high = "6G"
io-weight = 50
runtime-max = "1h"
oom = "session"
[files]
hide = ["secrets", "*.pem"]
protect = ["ci"]
optional = ["secrets"]
[network]
mode = "none"
)");
  CHECK(narrowed.mistakes.empty());
  CHECK_EQ(narrowed.policy.limits.memory_max->value, "8G");
  CHECK_EQ(narrowed.policy.limits.runtime_max->value, "1h");
  CHECK(narrowed.policy.limits.oom->value == OomMode::session);
  CHECK_EQ(narrowed.policy.files.hide.size(), 2);
  CHECK_EQ(narrowed.policy.files.protect.size(), 1);
  CHECK_EQ(narrowed.policy.files.optional.size(), 1);
  CHECK(narrowed.policy.network->value == NetworkMode::none);
}

TEST_CASE("a project that repeats what holds already is accepted") {
  const char* text = "[limits]\ntasks-max = 4096\nmemory-max = \"60%\"\n[network]\nmode = \"host\"";
  CHECK(narrow_texts(text, text).mistakes.empty());
}

TEST_CASE("a project may not grant a path in any way") {
  CHECK_EQ(refusal("", "[files]\nread-only = [\"~/x\"]"), ".agentctl.toml:2:14 show '~/x'");
  CHECK_EQ(refusal("", "[files]\nread-write = [\"~/x\"]"), ".agentctl.toml:2:15 let the session write '~/x'");
  CHECK_EQ(refusal("", "[files]\ncopy = [\"~/x\"]"), ".agentctl.toml:2:9 show a copy of '~/x'");
  CHECK_EQ(refusal("", "[files]\nhome = \"private\""), ".agentctl.toml:2:8 choose the kind of home");
}

TEST_CASE("a project may not take out what hides, protects or shadows") {
  const char* base = "[files]\nhide = [\"a\"]\nprotect = [\"b\"]\nread-only = [\"c\"]\ncopy = [\"d\"]";
  CHECK_EQ(refusal(base, "[files]\nhide = [\"!a\"]"), ".agentctl.toml:2:9 show again 'a'");
  CHECK_EQ(refusal(base, "[files]\nprotect = [\"!b\"]"), ".agentctl.toml:2:12 let the session write again 'b'");
  CHECK_EQ(refusal(base, "[files]\nread-only = [\"!c\"]"), ".agentctl.toml:2:14 stop showing only for reading 'c'");
  CHECK_EQ(refusal(base, "[files]\ncopy = [\"!d\"]"), ".agentctl.toml:2:9 stop replacing by a copy 'd'");
}

TEST_CASE("a project may say that a path can be missing only of what it alone hides or protects") {
  CHECK_EQ(refusal("[files]\nhide = [\"a\"]", "[files]\nhide = [\"a\"]\noptional = [\"a\"]"),
           ".agentctl.toml:3:13 change whether 'a' may be missing");
  CHECK_EQ(refusal("", "[files]\noptional = [\"/usr\"]"), ".agentctl.toml:2:13 change whether '/usr' may be missing");
}

TEST_CASE("a project may not choose the program or the variables") {
  CHECK_EQ(refusal("", "[agent]\ncommand = [\"x\"]"), ".agentctl.toml:2:11 choose the program that runs");
  CHECK_EQ(refusal("", "[env]\npass = [\"X\"]"), ".agentctl.toml:2:9 change which variables reach the session ('X')");
  CHECK_EQ(refusal("[env]\npass = [\"X\"]", "[env]\npass = [\"!X\"]"),
           ".agentctl.toml:2:9 change which variables reach the session ('!X')");
  CHECK_EQ(refusal("", "[env]\nset = { X = \"1\" }"), ".agentctl.toml:2:13 set the variable 'X'");
}

TEST_CASE("a project may not raise a limit, whether it is written or the machine's default") {
  CHECK_EQ(refusal("[limits]\nmemory-max = \"25%\"", "[limits]\nmemory-max = \"8G\""),
           ".agentctl.toml:2:14 raise 'memory-max' from 4.0G to 8.0G");
  CHECK_EQ(refusal("", "[limits]\nmemory-max = \"infinity\""),
           ".agentctl.toml:2:14 raise 'memory-max' from 9.5G to infinity");
  CHECK_EQ(refusal("", "[limits]\nswap-max = \"1G\""), ".agentctl.toml:2:12 raise 'swap-max' from 0B to 1.0G");
  CHECK_EQ(refusal("", "[limits]\ncpu-quota = \"800%\""), ".agentctl.toml:2:13 raise 'cpu-quota' from 700% to 800%");
  CHECK_EQ(refusal("", "[limits]\ncpu-weight = 51"), ".agentctl.toml:2:14 raise 'cpu-weight' from 50 to 51");
  CHECK_EQ(refusal("", "[limits]\nio-weight = 101"), ".agentctl.toml:2:13 raise 'io-weight' from 100 to 101");
  CHECK_EQ(refusal("", "[limits]\ntasks-max = \"infinity\""),
           ".agentctl.toml:2:13 raise 'tasks-max' from 4096 to infinity");
  CHECK_EQ(refusal("[limits]\nruntime-max = \"1h\"", "[limits]\nruntime-max = \"61min\""),
           ".agentctl.toml:2:15 raise 'runtime-max' from 1h to 1h 1min");
  CHECK_EQ(refusal("[limits]\nmemory-high = \"1G\"", "[limits]\nmemory-high = \"2G\""),
           ".agentctl.toml:2:15 raise 'memory-high' from 1.0G to 2.0G");
  CHECK_EQ(refusal("[limits]\noom = \"session\"", "[limits]\noom = \"process\""),
           ".agentctl.toml:2:7 let a session go on after a process of it was killed for memory");
}

TEST_CASE("a project may not open the network") {
  CHECK_EQ(refusal("[network]\nmode = \"none\"", "[network]\nmode = \"host\""),
           ".agentctl.toml:2:8 open the network, which is \"none\"");
  CHECK_EQ(refusal("", "[network]\nmode = \"host\""), ".agentctl.toml:2:8 open the network, which is \"none\"");
}

TEST_CASE("a project may close the network down to an allowlist, and not open it up from one") {
  for (const char* base : {"nat", "host"}) {
    CAPTURE(base);
    const Narrowed narrowed =
        narrow_texts("[network]\nmode = \"" + std::string(base) + "\"", "[network]\nmode = \"allowlist\"");
    CHECK(narrowed.mistakes.empty());
    CHECK(narrowed.policy.network->value == NetworkMode::allowlist);
  }
  CHECK(narrow_texts("[network]\nmode = \"allowlist\"", "[network]\nmode = \"none\"").mistakes.empty());
  for (const char* mode : {"nat", "host"}) {
    CAPTURE(mode);
    CHECK_EQ(refusal("[network]\nmode = \"allowlist\"", "[network]\nmode = \"" + std::string(mode) + "\""),
             ".agentctl.toml:2:8 open the network, which is \"allowlist\"");
  }
  CHECK_EQ(refusal("", "[network]\nmode = \"allowlist\""), ".agentctl.toml:2:8 open the network, which is \"none\"");
}

TEST_CASE("a project may not choose an allowlist that opens what nat closes, unless it takes that out") {
  const char* base = "[network]\nmode = \"nat\"\nallow = [\"example.org\", \"10.0.0.7:5432\"]";
  CHECK_EQ(refusal(base, "[network]\nmode = \"allowlist\""),
           ".agentctl.toml:2:8 open '10.0.0.7:5432' (user:3:25), which \"nat\" closes");
  for (const char* entry : {"!10.0.0.7:5432", "!*"}) {
    CAPTURE(entry);
    const Narrowed narrowed =
        narrow_texts(base, "[network]\nmode = \"allowlist\"\nallow = [\"" + std::string(entry) + "\"]");
    CHECK(narrowed.mistakes.empty());
    CHECK(narrowed.policy.network->value == NetworkMode::allowlist);
  }
  CHECK(narrow_texts("[network]\nmode = \"host\"\nallow = [\"10.0.0.7\"]", "[network]\nmode = \"allowlist\"")
            .mistakes.empty());
}

TEST_CASE("a project may deny hosts and take out what is allowed, and never allow one") {
  const char* base = "[network]\nmode = \"allowlist\"\nallow = [\"a.org\", \"b.org\"]\ndeny = [\"c.org\"]";
  const Narrowed narrowed =
      narrow_texts(base, "[network]\nallow = [\"!A.org\", \"!nobody-has.org\"]\ndeny = [\"**.d.org\"]");
  CHECK(narrowed.mistakes.empty());
  REQUIRE_EQ(narrowed.policy.hosts.allow.size(), 1);
  CHECK_EQ(narrowed.policy.hosts.allow[0].text, "b.org");
  REQUIRE_EQ(narrowed.policy.hosts.deny.size(), 2);
  CHECK_EQ(narrowed.policy.hosts.deny[1].text, "**.d.org");
  CHECK(narrow_texts(base, "[network]\nallow = [\"!*\"]").policy.hosts.allow.empty());
  CHECK_EQ(refusal(base, "[network]\nallow = [\"a.org\"]"), ".agentctl.toml:2:10 allow the host 'a.org'");
  CHECK_EQ(refusal(base, "[network]\nallow = [\"10.0.0.0/8\"]"), ".agentctl.toml:2:10 allow the host '10.0.0.0/8'");
  CHECK_EQ(refusal(base, "[network]\ndeny = [\"!c.org\"]"), ".agentctl.toml:2:9 no longer deny the host 'c.org'");
  CHECK_EQ(refusal(base, "[network]\ndeny = [\"!*\"]"), ".agentctl.toml:2:9 no longer deny the host '*'");
}

TEST_CASE("what was refused has no effect, and all of it is reported at once") {
  const Narrowed narrowed = narrow_texts("[files]\nhide = [\"a\"]",
                                         "[files]\nread-write = [\"/x\"]\nhide = [\"b\"]\n[limits]\ntasks-max = 9999\n"
                                         "[env]\nset = { A = \"1\" }\n[network]\nmode = \"host\"");
  CHECK_EQ(narrowed.mistakes.size(), 4);
  CHECK(narrowed.policy.files.read_write.empty());
  CHECK_EQ(narrowed.policy.files.hide.size(), 2);
  CHECK_FALSE(narrowed.policy.limits.tasks_max.has_value());
  CHECK(narrowed.policy.env.set.empty());
  CHECK_FALSE(narrowed.policy.network.has_value());
}

TEST_CASE("a project may have the terminal filtered, and never unfiltered where the user has not") {
  const char* refused = ".agentctl.toml:2:10 let what the agent prints reach the terminal as it is";
  for (const char* base : {"", "[terminal]\nfilter = true"}) {
    CHECK(refusal(base, "[terminal]\nfilter = false").starts_with(refused));
    CHECK_FALSE(
        narrow_texts(base, "[terminal]\nfilter = false").policy.terminal.filter.value_or(Setting<bool>{true}).value ==
        false);
  }
  const Narrowed narrowed = narrow_texts("[terminal]\nfilter = false", "[terminal]\nfilter = true");
  CHECK(narrowed.mistakes.empty());
  CHECK(narrowed.policy.terminal.filter->value);
}

TEST_SUITE_END();

}  // namespace agentctl::policy
