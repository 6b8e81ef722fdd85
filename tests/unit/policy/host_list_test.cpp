// SPDX-License-Identifier: Apache-2.0
#include "policy/host_list.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::policy {
namespace {

Entries entries(const std::vector<std::string>& texts, const std::string& source = "policy.toml") {
  Entries out;
  for (const std::string& text : texts) out.push_back({text, {source, 3, static_cast<int>(out.size()) + 1}});
  return out;
}

struct Merged {
  std::string hosts;
  std::vector<std::string> mistakes;
};

Merged merged(const std::vector<std::string>& earlier, const std::vector<std::string>& later,
              std::string_view list = "allow") {
  Entries hosts = entries(earlier, "earlier");
  std::vector<Diagnostic> mistakes;
  merge_hosts(hosts, entries(later), list, mistakes);
  Merged out;
  for (const Entry& entry : hosts) out.hosts += cat(out.hosts.empty() ? "" : " ", entry.text);
  for (const Diagnostic& mistake : mistakes) out.mistakes.push_back(render(mistake));
  return out;
}

const Entry* opened(const std::vector<std::string>& allow) {
  static Entries kept;
  kept = entries(allow);
  return find_opened_beyond_nat(kept);
}

}  // namespace

TEST_SUITE("host_list") {
  TEST_CASE("a later layer adds, and one rule in two spellings is one entry") {
    CHECK_EQ(merged({"a.example"}, {"b.example", "A.Example.", "a.example:22"}).hosts,
             "a.example b.example a.example:22");
    CHECK_EQ(merged({"[2001:db8::7]"}, {"[2001:DB8:0::7]", "10.0.0.0/8"}).hosts, "[2001:db8::7] 10.0.0.0/8");
    CHECK_EQ(merged({}, {"*.example.com", "*.Example.com", "**.example.com"}).hosts, "*.example.com **.example.com");
  }

  TEST_CASE("an entry with a mark takes out the same rule, however it is spelled, and no other") {
    const Merged out = merged({"a.example", "a.example:22", "*.a.example"}, {"!A.example", "b.example"});
    CHECK_EQ(out.hosts, "a.example:22 *.a.example b.example");
    CHECK(out.mistakes.empty());
  }

  TEST_CASE("'!*' takes out all that came before, and nothing of its own list") {
    CHECK_EQ(merged({"a.example", "*.b.example"}, {"c.example", "!*"}).hosts, "c.example");
    CHECK(merged({}, {"!*"}).mistakes.empty());
  }

  TEST_CASE("what takes nothing out is a mistake, which names the rule that still matches") {
    const Merged out = merged({"*.example.com", "10.0.0.0/8"}, {"!x.org", "!a.example.com", "!10.0.0.7"});
    CHECK_EQ(out.hosts, "*.example.com 10.0.0.0/8");
    REQUIRE_EQ(out.mistakes.size(), 3);
    CHECK_EQ(out.mistakes[0], "policy.toml:3:1: error: '!x.org' takes nothing out of 'allow'");
    CHECK_EQ(
        out.mistakes[1],
        "policy.toml:3:2: error: '!a.example.com' takes nothing out of 'allow': '*.example.com' matches it, which can "
        "be taken out as a whole; or name the host in 'deny'");
    CHECK(out.mistakes[2].find("'10.0.0.0/8' matches it") != std::string::npos);
    const Merged denied = merged({"*.example.com"}, {"!a.example.com"}, "deny");
    REQUIRE_EQ(denied.mistakes.size(), 1);
    CHECK(denied.mistakes[0].ends_with("matches it, which can be taken out as a whole"));
  }

  TEST_CASE("of a list that has nothing a policy for all commands may take out what an agent's profile brings") {
    CHECK(merged({}, {"!github.com", "a.example"}).mistakes.empty());
    CHECK_EQ(merged({}, {"!github.com", "a.example"}).hosts, "a.example");
  }

  TEST_CASE("what a list adds and takes out is a mistake, whatever came before") {
    for (const Merged& out :
         {merged({}, {"a.example", "!A.example"}), merged({"a.example"}, {"a.example", "!a.example"})}) {
      REQUIRE_EQ(out.mistakes.size(), 1);
      CHECK(out.mistakes[0].find("takes nothing out of the 'allow' in which it stands") != std::string::npos);
    }
  }

  TEST_CASE("one of a set need not be in every profile, unless another rule opens it all the same") {
    CHECK(merged({"a.example"}, {"!github.com"}).mistakes.empty());
    CHECK_EQ(merged({"*.com.example", "**.github.com"}, {"!github.com"}).mistakes.size(), 1);
  }

  TEST_CASE("what is no rule is kept as it is, for the check to tell of") {
    CHECK_EQ(normal_host("!https://x"), "https://x");
    CHECK_EQ(merged({"http://x"}, {"http://x", "!http://x"}).hosts, "http://x");
  }

  TEST_CASE("names and public addresses open nothing that nat closes, private addresses and ranges may") {
    CHECK(opened({}) == nullptr);
    CHECK(opened({"example.com", "**.intranet", "1.1.1.1:53", "[2606:4700:4700::1111]"}) == nullptr);
    for (const std::string entry :
         {"10.0.0.7", "169.254.169.254", "192.168.1.1:22", "[fd00::1]", "8.0.0.0/5", "1.0.0.0/24"}) {
      CAPTURE(entry);
      REQUIRE(opened({"example.com", entry}) != nullptr);
      CHECK_EQ(opened({"example.com", entry})->text, entry);
    }
  }
}

}  // namespace agentctl::policy
