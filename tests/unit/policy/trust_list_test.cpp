// SPDX-License-Identifier: Apache-2.0
#include "policy/trust_list.h"

#include <doctest/doctest.h>

#include "policy/policy_reader.h"

namespace agentctl::policy {
namespace {

const std::string kDigest(64, 'a');
const std::string kOther(64, '0');

std::string refusal(std::string_view text) {
  const auto list = parse_trust_list(text, "trust.toml");
  return list ? "accepted" : list.error().message;
}

}  // namespace

TEST_SUITE("trust_list") {
  TEST_CASE("what is written is read again, odd names too") {
    TrustList list;
    for (const char* directory :
         {"/home/ada/shop", "/a b", "/q\"uote", "/back\\slash", "/tab\tnewline\n", "/ünïcode"}) {
      REQUIRE(add_trusted(list, {directory, kDigest}));
    }
    const auto again = parse_trust_list(render_trust_list(list), "trust.toml");
    REQUIRE(again);
    REQUIRE(again->size() == list.size());
    for (std::size_t at = 0; at < list.size(); ++at) {
      CHECK((*again)[at].directory == list[at].directory);
      CHECK((*again)[at].sha256 == kDigest);
    }
  }

  TEST_CASE("a name that the list cannot hold is refused, not changed") {
    TrustList list;
    for (const char* directory : {"/latin1-\xe9", "/c1-\xc2\x9b", "/override-\xe2\x80\xae", "relative", ""}) {
      CAPTURE(directory);
      CHECK_FALSE(add_trusted(list, {directory, kDigest}));
    }
    CHECK(list.empty());
  }

  TEST_CASE("what is written is TOML") {
    TrustList list;
    REQUIRE(add_trusted(list, {"/a \"b\"\t\\c", kDigest}));
    // The reader of policies knows no such table, which is all that it has to say.
    const ReadOutcome outcome = read_policy(render_trust_list(list), "trust.toml");
    REQUIRE(outcome.mistakes.size() == 1);
    CHECK(outcome.mistakes[0].message.starts_with("unknown table 'trusted'"));
  }

  TEST_CASE("a project is trusted for one content at a time, and no longer when it is taken out") {
    TrustList list;
    REQUIRE(add_trusted(list, {"/p", kDigest}));
    REQUIRE(add_trusted(list, {"/p", kOther}));
    REQUIRE(list.size() == 1);
    CHECK(find_trusted(list, "/p")->sha256 == kOther);
    CHECK(find_trusted(list, "/p/below") == nullptr);
    CHECK(find_trusted(list, "/") == nullptr);
    CHECK(remove_trusted(list, "/p"));
    CHECK_FALSE(remove_trusted(list, "/p"));
  }

  TEST_CASE("a list of nothing is a list") {
    for (const char* text : {"", "\n", "# a comment\n", "[trusted]\n", "\r\n[trusted]\r\n# none\r\n"}) {
      const auto list = parse_trust_list(text, "trust.toml");
      REQUIRE(list);
      CHECK(list->empty());
    }
  }

  TEST_CASE("a line that we would not write makes the whole list unusable") {
    const std::string entry = "\"/p\" = \"" + kDigest + "\"\n";
    CHECK(refusal(entry) == "trust.toml:1: not a line of a list of trust");
    for (const std::string& line : std::vector<std::string>{
             "\"relative\" = \"" + kDigest + "\"", "/p = \"" + kDigest + "\"", "\"/p\" = " + kDigest,
             "\"/p\" = \"abc\"", "\"/p\" = \"" + kDigest + "\" x", "\"/p = \"" + kDigest + "\"", "\"/p\\",
             "\"/p\\u00\" = \"\"", "[trusted]", "\"/p\" = \"" + std::string(64, 'A') + "\"",
             "\"/p\\u0000\" = \"" + kDigest + "\"", "\"/p\"", "x"}) {
      CAPTURE(line);
      CHECK(refusal("[trusted]\n" + line + "\n") == "trust.toml:2: not a line of a list of trust");
    }
    CHECK(refusal("[trusted]\n" + entry + entry) == "trust.toml:3: not a line of a list of trust");
  }
}

}  // namespace agentctl::policy
