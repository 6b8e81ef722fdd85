// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_check.h"

#include <doctest/doctest.h>

namespace agentctl::policy {
namespace {

Policy layer(std::string_view text) {
  ReadOutcome outcome = read_policy(text, "p");
  for (const Diagnostic& mistake : outcome.mistakes) FAIL_CHECK(render(mistake));
  return std::move(outcome.policy);
}

std::string refusal(const Policy& policy) {
  const auto mistakes = check(policy);
  if (mistakes.empty()) return "accepted";
  return mistakes.size() == 1 ? mistakes[0].message : "not one mistake";
}

std::string refusal_of(std::string_view text) { return refusal(layer(text)); }

std::string write_refusal(const std::string& path) { return refusal_of("[files]\nread-write = [\"" + path + "\"]"); }
std::string read_refusal(const std::string& path) { return refusal_of("[files]\nread-only = [\"" + path + "\"]"); }

}  // namespace

TEST_SUITE_BEGIN("policy_check");

TEST_CASE("an ordinary policy passes") {
  CHECK_EQ(refusal(Policy{}), "accepted");
  CHECK_EQ(refusal_of("[files]\nread-write = [\"~/.claude\", \"~/.cache/x\", \"/srv/x\", \"/var/tmp/x\"]\n"
                      "read-only = [\"~/.config/git\", \"/run/systemd/resolve\", \"/etc/claude-code\"]"),
           "accepted");
}

TEST_CASE("limits below what a session needs are refused") {
  CHECK_EQ(refusal_of("[limits]\nmemory-max = \"1M\""), "'memory-max' must be at least 16.0M; got 1M");
  CHECK_EQ(refusal_of("[limits]\ntasks-max = 7"),
           "'tasks-max' must be at least 8; got 7: the sandbox itself needs some");
  CHECK_EQ(refusal_of("[limits]\ntasks-max = 8\nmemory-max = \"16M\""), "accepted");
}

TEST_CASE("memory-high above memory-max is refused where the two can be compared") {
  CHECK_EQ(refusal_of("[limits]\nmemory-max = \"1G\"\nmemory-high = \"2G\""),
           "'memory-high' (2G) must not be above 'memory-max' (1G)");
  CHECK_EQ(refusal_of("[limits]\nmemory-max = \"50%\"\nmemory-high = \"60%\""),
           "'memory-high' (60%) must not be above 'memory-max' (50%)");
  CHECK_EQ(refusal_of("[limits]\nmemory-max = \"1G\"\nmemory-high = \"60%\""), "accepted");
  CHECK_EQ(refusal_of("[limits]\nmemory-max = \"infinity\"\nmemory-high = \"60G\""), "accepted");
}

TEST_CASE("what the host runs, and our own files, may not be writable, nor what holds them") {
  CHECK_EQ(write_refusal("/usr"), "'/usr' in 'read-write' must not be writable");
  CHECK_EQ(write_refusal("~/.config/agentctl/"), "'~/.config/agentctl/' in 'read-write' must not be writable");
  CHECK_EQ(write_refusal("$HOME/.config"),
           "'$HOME/.config' in 'read-write' must not be writable, for it holds '~/.config/agentctl'");
  CHECK_EQ(write_refusal("~/.local"),
           "'~/.local' in 'read-write' must not be writable, for it holds '~/.local/state/agentctl'");
  CHECK_EQ(write_refusal("/etc"), "'/etc' in 'read-write' must not be writable, for it holds '/etc/agentctl'");
  CHECK_EQ(write_refusal("/home/"), "'/home/' in 'read-write' must not be writable");
}

TEST_CASE("the root, the home and its parent are too much for any grant") {
  for (const char* path : {"/", "//", "/.", "~/..", "/run"}) {
    CAPTURE(path);
    CHECK(write_refusal(path).ends_with("would bring in far more than a project needs: name what is needed"));
    CHECK(read_refusal(path).ends_with("would bring in far more than a project needs: name what is needed"));
  }
  CHECK_EQ(read_refusal("~"), "'~' in 'read-only' would bring in your whole home, secrets too: name what is needed");
  CHECK_EQ(write_refusal("$HOME"),
           "'$HOME' in 'read-write' would bring in your whole home, secrets too: name what is needed");
}

TEST_CASE("where the host takes commands nothing comes in, not even for reading") {
  CHECK_EQ(read_refusal("/run/user/1000/bus"),
           "'/run/user/1000/bus' in 'read-only' must not come in: the host is commanded through '/run/user'");
  for (const char* path :
       {"/run/dbus", "/run/systemd/private", "/var/run/docker.sock", "/proc", "/sys/fs/cgroup", "/dev/sda"}) {
    CAPTURE(path);
    CHECK(read_refusal(path).find("must not come in") != std::string::npos);
  }
}

TEST_CASE("one path in two grants, or granted and hidden by the same file, is refused") {
  CHECK_EQ(refusal_of("[files]\nread-only = [\"~/a\"]\nread-write = [\"~/a/\"]"),
           "'~/a/' must not stand in both 'read-only' and 'read-write'");
  CHECK_EQ(refusal_of("[files]\ncopy = [\"~/a\"]\nhide = [\"~/a\"]"), "'~/a' must not stand in both 'copy' and 'hide'");
}

TEST_CASE("a path that one layer grants and another hides is hidden, which is no mistake") {
  Policy policy = layer("[files]\nread-only = [\"~/a\"]");
  policy.files.hide.push_back({"~/a", {"another", 1, 1}});
  CHECK_EQ(refusal(policy), "accepted");
}

TEST_CASE("an optional path must be the path of another rule") {
  CHECK_EQ(refusal_of("[files]\noptional = [\"~/a\"]"),
           "'~/a' in 'optional' must also stand in another list of [files]");
  CHECK_EQ(refusal_of("[files]\nhide = [\"~/a/\"]\noptional = [\"$HOME/a\"]"), "accepted");
}

TEST_CASE("entries from the command line are held to the same rules as those of a file") {
  Policy policy;
  policy.files.read_only.push_back({"~bob/x", {"--ro"}});
  CHECK_EQ(refusal(policy),
           "'~bob/x' in 'read-only' must be '~/…' or a full path: the home of another user is not looked up");
  policy = {};
  policy.env.set["LD_PRELOAD"] = {"/x.so", {"--env"}};
  CHECK(refusal(policy).starts_with("'LD_PRELOAD' in 'set' must not reach the session"));
  policy = {};
  policy.command = Setting<std::vector<std::string>>{{""}, {"x"}};
  CHECK_EQ(refusal(policy), "'command' must name a program, as in [\"claude\"]");
}

TEST_CASE("a mark that is left over after merging is refused") {
  CHECK_EQ(refusal_of("[files]\nhide = [\"!~/a\"]"), "'!~/a' in 'hide' takes nothing out");
  CHECK_EQ(refusal_of("[env]\npass = [\"!A\"]"), "'!A' in 'pass' takes nothing out");
}

TEST_CASE("one name in both pass and set is refused") {
  CHECK_EQ(refusal_of("[env]\npass = [\"A\"]\nset = { A = \"1\" }"), "'A' must not stand in both 'pass' and 'set'");
}

TEST_CASE("hosts from the command line are held to the rules of a file's, and one is not both allowed and denied") {
  Policy policy;
  policy.hosts.allow.push_back({"https://example.org", {"--allow"}});
  CHECK_EQ(refusal(policy), "'https://example.org' in 'allow' must be a host without scheme and path: 'example.com'");
  policy = {};
  policy.hosts.deny.push_back({"!example.org", {"--deny"}});
  CHECK_EQ(refusal(policy), "'!example.org' in 'deny' takes nothing out");
  CHECK_EQ(refusal_of("[network]\nallow = [\"a.org\"]\ndeny = [\"A.org\"]"),
           "'A.org' must not stand in both 'allow' and 'deny'");
  CHECK_EQ(refusal_of("[network]\nallow = [\"a.org\", \"*.b.org\"]\ndeny = [\"a.org:22\", \"x.b.org\"]"), "accepted");
}

TEST_CASE("a host that one layer allows and another denies is denied, which is no mistake") {
  Policy policy = layer("[network]\nallow = [\"a.org\"]");
  policy.hosts.deny.push_back({"a.org", {"another", 1, 1}});
  CHECK_EQ(refusal(policy), "accepted");
}

TEST_SUITE_END();

}  // namespace agentctl::policy
