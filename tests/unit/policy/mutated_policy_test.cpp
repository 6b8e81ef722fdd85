// SPDX-License-Identifier: Apache-2.0
// Policies that no person would write: sound ones with bytes changed, cut, doubled and put together.
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "policy/embedded_profiles.h"
#include "policy/policy_check.h"
#include "policy/policy_merge.h"
#include "policy/trust_list.h"

namespace agentctl::policy {
namespace {

constexpr unsigned kSeed = 20261129;
constexpr int kMutants = 2000;

class Mutator {
 public:
  std::string mutate(std::string text, const std::vector<std::string>& others) {
    for (std::size_t step = below(8) + 1; step > 0; --step) change(text, others);
    return text;
  }

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

 private:
  void change(std::string& text, const std::vector<std::string>& others) {
    static const std::vector<std::string> kPieces = {
        "[",          "]",    "[[",       "]]",         "=",     "\"",  "'''", "\"\"\"",
        "\\u0000",    "\\",   "{",        "}",          ",",     "#",   "\n",  "\r",
        "\0x",        "\xff", "\xf0\x9f", "[limits]\n", "1e999", "0x",  "nan", "9999999999999999999",
        "1979-05-27", "!",    "~",        "*",          "..",    "true"};
    const std::size_t at = below(text.size() + 1);
    switch (below(5)) {
      case 0:
        text.insert(at, kPieces[below(kPieces.size())]);
        break;
      case 1:
        text.erase(at, below(20) + 1);
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), below(40)));
        break;
      default:
        text = text.substr(0, at) + others[below(others.size())].substr(below(60));
    }
  }

  std::mt19937 random_{kSeed};
};

}  // namespace

TEST_SUITE("mutated_policy") {
  TEST_CASE("CTL-01: the reader takes any bytes: a policy or mistakes with places, never an exception or a crash") {
    std::vector<std::string> seeds;
    for (const EmbeddedText& profile : embedded_profiles()) seeds.emplace_back(profile.text);
    seeds.emplace_back("[trusted]\n\"/p\" = \"" + std::string(64, 'a') + "\"\n" + std::string(60, '#'));
    Mutator mutator;
    int sound = 0;
    for (int count = 0; count < kMutants; ++count) {
      const std::string text = mutator.mutate(seeds[mutator.below(seeds.size())], seeds);
      CAPTURE(count);
      const ReadOutcome outcome = read_policy(text, "mutant.toml");
      for (const Diagnostic& mistake : outcome.mistakes) {
        CHECK(mistake.origin.line >= 1);
        CHECK(mistake.origin.column >= 1);
        CHECK_FALSE(mistake.message.empty());
        CHECK_FALSE(render(mistake).empty());
      }
      std::vector<Diagnostic> mistakes;
      for (const Diagnostic& mistake : check(merge({}, outcome.policy, mistakes))) CHECK_FALSE(mistake.message.empty());
      (void)narrow({}, outcome.policy, {16ULL << 30, 8}, mistakes);
      (void)parse_trust_list(text, "mutant.toml");
      if (outcome.mistakes.empty()) ++sound;
    }
    // Both ends were seen.
    CHECK(sound > kMutants / 100);
    CHECK(sound < kMutants);
  }
}

}  // namespace agentctl::policy
