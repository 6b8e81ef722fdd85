// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_merge.h"

#include <doctest/doctest.h>

#include "policy/profiles.h"

namespace agentctl::policy {
namespace {

Policy layer(std::string_view text, std::string_view source) {
  ReadOutcome outcome = read_policy(text, source);
  for (const Diagnostic& mistake : outcome.mistakes) FAIL_CHECK(render(mistake));
  return std::move(outcome.policy);
}

struct Merged {
  Policy policy;
  std::vector<Diagnostic> mistakes;
};

Merged merge_texts(std::string_view earlier, std::string_view later) {
  Merged merged;
  merged.policy = merge(layer(earlier, "earlier"), layer(later, "later"), merged.mistakes);
  return merged;
}

std::vector<std::string> texts(const Entries& entries) {
  std::vector<std::string> out;
  for (const Entry& entry : entries) out.push_back(entry.text);
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE_BEGIN("policy_merge");

TEST_CASE("a scalar of the later layer replaces, and one that it leaves out stays") {
  const Merged merged = merge_texts("[limits]\nmemory-max = \"1G\"\ntasks-max = 10\n[network]\nmode = \"host\"",
                                    "[limits]\nmemory-max = \"2G\"\n[network]\nmode = \"none\"");
  CHECK_EQ(merged.policy.limits.memory_max->value, "2G");
  CHECK_EQ(merged.policy.limits.memory_max->origin.source, "later");
  CHECK_EQ(merged.policy.limits.tasks_max->value, "10");
  CHECK_EQ(merged.policy.limits.tasks_max->origin.source, "earlier");
  CHECK(merged.policy.network->value == NetworkMode::none);
}

TEST_CASE("a command is replaced whole, never joined") {
  const Merged merged = merge_texts("[agent]\ncommand = [\"a\", \"b\"]", "[agent]\ncommand = [\"c\"]");
  CHECK(merged.policy.command->value == Texts{"c"});
}

TEST_CASE("lists add, and the same entry written another way is not added twice") {
  const Merged merged = merge_texts("[files]\nread-only = [\"~/a\"]", "[files]\nread-only = [\"$HOME//a/\", \"/b\"]");
  CHECK(texts(merged.policy.files.read_only) == Texts{"~/a", "/b"});
  CHECK_EQ(merged.policy.files.read_only[0].origin.source, "earlier");
}

TEST_CASE("an entry with a mark takes out what came before, and with it the word that it may be missing") {
  const Merged merged = merge_texts("[files]\nread-only = [\"~/a\", \"~/b\"]\noptional = [\"~/a\", \"~/b\"]",
                                    "[files]\nread-only = [\"!~/a\", \"~/c\"]");
  CHECK(texts(merged.policy.files.read_only) == Texts{"~/b", "~/c"});
  CHECK(texts(merged.policy.files.optional) == Texts{"~/b"});
  CHECK(merged.mistakes.empty());
}

TEST_CASE("an entry that takes nothing out is a mistake, located") {
  const Merged merged = merge_texts("[files]\nhide = [\"~/a\"]", "[files]\nhide = [\"!~/b\"]\nread-only = [\"!~/a\"]");
  REQUIRE_EQ(merged.mistakes.size(), 2);
  CHECK_EQ(render(merged.mistakes[0]), "later:3:14: error: '!~/a' takes nothing out of 'read-only'");
  CHECK_EQ(render(merged.mistakes[1]), "later:2:9: error: '!~/b' takes nothing out of 'hide'");
}

TEST_CASE("a path that a glob hides is not taken out of the list, and the mistake says what to do") {
  const Merged merged =
      merge_texts("[files]\nhide = [\"./**/.env*\"]", "[files]\nhide = [\"!./a/.env\", \"!~/other/.env\"]");
  REQUIRE_EQ(merged.mistakes.size(), 2);
  CHECK_EQ(
      render(merged.mistakes[0]),
      "later:2:9: error: '!./a/.env' takes nothing out of 'hide': './**/.env*' matches it, which can be taken out as a "
      "whole; or name the file in 'read-only' or 'read-write'");
  CHECK_EQ(render(merged.mistakes[1]), "later:2:22: error: '!~/other/.env' takes nothing out of 'hide'");
}

TEST_CASE("what the user hides, too, is the user's own rule") {
  std::vector<Diagnostic> mistakes;
  const ReadOutcome own = read_policy("[files]\nhide = [\"**/.env\"]", "policy.toml");
  const Policy merged = merge(built_in_default(), own.policy, mistakes);
  std::vector<std::string> origins;
  for (const Entry& entry : merged.files.hide) {
    if (entry.text.ends_with("**/.env")) origins.push_back(to_string(entry.origin));
  }
  CHECK(origins == Texts{"policy.toml:2:9"});
}

TEST_CASE("a known place of secrets can be taken out though no list names it") {
  const Merged merged = merge_texts("[files]\nhide = [\"~/a\"]", "[files]\nhide = [\"!$HOME/.ssh/\", \"!~/.sshx\"]");
  REQUIRE_EQ(merged.policy.files.shown.size(), 1);
  CHECK_EQ(merged.policy.files.shown[0].text, "~/.ssh");
  REQUIRE_EQ(merged.mistakes.size(), 1);
  CHECK_EQ(merged.mistakes[0].message, "'!~/.sshx' takes nothing out of 'hide'");
}

TEST_CASE("the mark works on earlier layers, not on its own list") {
  CHECK_EQ(merge_texts("", "[files]\nhide = [\"~/a\", \"!~/a\"]").mistakes.size(), 1);
}

TEST_CASE("a path that is granted anew is granted in the later way alone") {
  const Merged merged = merge_texts("[files]\nread-write = [\"~/a\"]\ncopy = [\"~/b\"]",
                                    "[files]\nread-only = [\"~/a\"]\nread-write = [\"~/b\"]");
  CHECK(texts(merged.policy.files.read_only) == Texts{"~/a"});
  CHECK(texts(merged.policy.files.read_write) == Texts{"~/b"});
  CHECK(merged.policy.files.copy.empty());
}

TEST_CASE("a grant does not take away what an earlier layer hides or protects") {
  const Merged merged =
      merge_texts("[files]\nhide = [\"~/a\"]\nprotect = [\"~/b\"]", "[files]\nread-write = [\"~/a\", \"~/b\"]");
  CHECK(texts(merged.policy.files.hide) == Texts{"~/a"});
  CHECK(texts(merged.policy.files.protect) == Texts{"~/b"});
}

TEST_CASE("variables merge key by key, and the later of pass and set counts") {
  const Merged merged = merge_texts("[env]\npass = [\"A\", \"B\"]\nset = { C = \"1\", D = \"1\" }",
                                    "[env]\npass = [\"C\", \"!B\"]\nset = { A = \"2\", D = \"2\" }");
  CHECK(texts(merged.policy.env.pass) == Texts{"C"});
  CHECK_FALSE(merged.policy.env.set.contains("C"));
  CHECK_EQ(merged.policy.env.set.at("A").value, "2");
  CHECK_EQ(merged.policy.env.set.at("D").value, "2");
  CHECK(merged.mistakes.empty());
}

TEST_CASE("a mark also takes out a variable that was set") {
  const Merged merged = merge_texts("[env]\nset = { A = \"1\" }", "[env]\npass = [\"!A\"]");
  CHECK(merged.policy.env.set.empty());
  CHECK(merged.mistakes.empty());
}

TEST_CASE("taking one name out of a passed beginning is refused with the way out") {
  const Merged merged = merge_texts("[env]\npass = [\"LC_*\"]", "[env]\npass = [\"!LC_ALL\"]");
  REQUIRE_EQ(merged.mistakes.size(), 1);
  CHECK_EQ(merged.mistakes[0].message,
           "'!LC_ALL' takes nothing out of 'pass': 'LC_ALL' comes with 'LC_*', which can be taken out as a whole");
}

TEST_SUITE_END();

}  // namespace agentctl::policy
