// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_reader.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "policy/choice.h"

namespace agentctl::policy {
namespace {

Policy read_good(std::string_view text) {
  ReadOutcome outcome = read_policy(text, "policy.toml");
  for (const Diagnostic& mistake : outcome.mistakes) FAIL_CHECK(render(mistake));
  return std::move(outcome.policy);
}

std::string read_bad(std::string_view text) {
  const auto result = to_result(read_policy(text, "policy.toml").mistakes);
  return result ? "accepted" : result.error().message;
}

}  // namespace

TEST_SUITE_BEGIN("policy_reader");

TEST_CASE("every key of a policy is read with the place where it stands") {
  const Policy policy = read_good(R"([agent]
command = ["claude", "--model", "x"]
[limits]
memory-max = "60%"
oom = "session"
[files]
home = "private"
read-only = ["~/notes", "!~/old"]
read-write = ["/srv/x"]
copy = ["~/.x.json"]
hide = ["*.pem"]
protect = ["./.git/hooks"]
optional = ["~/notes"]
[env]
pass = ["TERM", "LC_*"]
set = { A = "1", B = 2 }
[network]
mode = "none"
allow = ["example.org", "!*", "[fd00::/8]:22"]
deny = ["*.example.net"]
)");
  CHECK(policy.command->value == std::vector<std::string>{"claude", "--model", "x"});
  CHECK_EQ(policy.limits.memory_max->value, "60%");
  CHECK(policy.limits.memory_max->origin == Origin{"policy.toml", 4, 14});
  CHECK(policy.limits.oom->value == OomMode::session);
  CHECK(policy.files.home->value == HomeMode::private_home);
  REQUIRE_EQ(policy.files.read_only.size(), 2);
  CHECK_EQ(policy.files.read_only[1].text, "!~/old");
  CHECK_EQ(to_string(policy.files.read_only[1].origin), "policy.toml:8:25");
  CHECK_EQ(policy.files.read_write.at(0).text, "/srv/x");
  CHECK_EQ(policy.files.copy.at(0).text, "~/.x.json");
  CHECK_EQ(policy.files.hide.at(0).text, "*.pem");
  CHECK_EQ(policy.files.protect.at(0).text, "./.git/hooks");
  CHECK_EQ(policy.files.optional.at(0).text, "~/notes");
  CHECK_EQ(policy.env.pass.at(1).text, "LC_*");
  CHECK_EQ(policy.env.set.at("A").value, "1");
  CHECK_EQ(policy.env.set.at("B").value, "2");
  CHECK(policy.network->value == NetworkMode::none);
  REQUIRE_EQ(policy.hosts.allow.size(), 3);
  CHECK_EQ(policy.hosts.allow[1].text, "!*");
  CHECK_EQ(to_string(policy.hosts.allow[2].origin), "policy.toml:19:31");
  CHECK_EQ(policy.hosts.deny.at(0).text, "*.example.net");
}

TEST_CASE("each network mode is read by its word") {
  const std::pair<const char*, NetworkMode> modes[] = {{"none", NetworkMode::none},
                                                       {"allowlist", NetworkMode::allowlist},
                                                       {"nat", NetworkMode::nat},
                                                       {"host", NetworkMode::host}};
  for (const auto& named : modes) {
    const char* const word = named.first;
    const NetworkMode mode = named.second;
    CAPTURE(word);
    CHECK(read_good(cat("[network]\nmode = \"", word, "\"")).network->value == mode);
    CHECK_EQ(to_string(mode), word);
  }
  CHECK(NetworkMode::none < NetworkMode::allowlist);
  CHECK(NetworkMode::allowlist < NetworkMode::nat);
  CHECK(NetworkMode::nat < NetworkMode::host);
}

TEST_CASE("a policy that says nothing is a policy that opens nothing") {
  for (const std::string_view text : {"", "\n", "# only a comment\n", "\xef\xbb\xbf", "[files]\n", "\r\n\r\n"}) {
    CAPTURE(text);
    const Policy policy = read_good(text);
    CHECK_FALSE(policy.command.has_value());
    CHECK_FALSE(policy.network.has_value());
    CHECK(policy.files.read_only.empty());
    CHECK(policy.env.pass.empty());
  }
}

TEST_CASE("a byte order mark and Windows line ends change nothing, also not the places") {
  const Policy policy = read_good("\xef\xbb\xbf[limits]\r\ntasks-max = 100\r\n");
  CHECK_EQ(policy.limits.tasks_max->value, "100");
  CHECK_EQ(to_string(policy.limits.tasks_max->origin), "policy.toml:2:13");
  CHECK_EQ(read_bad("\xef\xbb\xbf[limit]\r\n"),
           "policy.toml:1:2: error: unknown table 'limit'; did you mean 'limits'?\n    [limit]\n     ^");
}

TEST_CASE("whole numbers are taken where systemd would take them") {
  const Policy policy =
      read_good("[limits]\ntasks-max = 4096\ncpu-weight = 50\nmemory-max = 8589934592\nswap-max = 0\n");
  CHECK_EQ(policy.limits.tasks_max->value, "4096");
  CHECK_EQ(policy.limits.cpu_weight->value, "50");
  CHECK_EQ(policy.limits.memory_max->value, "8589934592");
  CHECK_EQ(policy.limits.swap_max->value, "0");
}

TEST_CASE("dotted keys and inline tables mean the same as headers") {
  CHECK_EQ(read_good("limits.tasks-max = 9").limits.tasks_max->value, "9");
  CHECK_EQ(read_good("limits = { tasks-max = 9 }").limits.tasks_max->value, "9");
}

TEST_CASE("a fault of syntax does not hide the mistakes around it") {
  const std::string text = read_bad("[limits]\nmemory-max = 8G\ntasks-max = \"many\"\n[fils]\n");
  CHECK(text.find("policy.toml:2:") != std::string::npos);
  CHECK(text.find("policy.toml:3:") != std::string::npos);
  CHECK(text.find("policy.toml:4:") != std::string::npos);
}

TEST_CASE("bytes that are not UTF-8 and NUL bytes are refused, not shown raw") {
  CHECK(read_bad("[limits]\n\xff\xfe = 1\n").starts_with("policy.toml:2:1: error: not valid TOML: "));
  CHECK_NE(read_bad(std::string_view("[env]\0", 6)), "accepted");
  CHECK_EQ(read_bad("\x1b[2J").find('\x1b'), std::string::npos);
}

TEST_CASE("input that is nested or broken without end is refused in time") {
  CHECK_NE(read_bad(std::string(100'000, '[')), "accepted");
  CHECK_NE(read_bad("a = " + std::string(100'000, '[')), "accepted");
  std::string many = "[limits]\n";
  for (int i = 0; i < 5000; ++i) many += cat("k", i, " = x\n");
  CHECK_NE(read_bad(many), "accepted");
}

TEST_CASE("a diagnostic without a line is one line, and so is one whose line is too long to show") {
  CHECK_EQ(render({{"--memory-max"}, "no", ""}), "--memory-max: error: no");
  CHECK_EQ(render({{"x", 1, 2}, "no", std::string(500, 'a')}), "x:1:2: error: no");
}

TEST_CASE("the caret stands below the column, also after characters that are shown as escapes") {
  CHECK_EQ(render({{"x", 1, 3}, "no", "ü\x1b=1"}), "x:1:3: error: no\n    ü\\x1b=1\n         ^");
}

TEST_SUITE_END();

}  // namespace agentctl::policy
