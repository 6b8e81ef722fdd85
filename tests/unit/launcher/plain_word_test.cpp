// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/plain_word.h"

#include <doctest/doctest.h>

namespace agentctl::launcher {
namespace {

std::string refused(std::string_view text) {
  const auto word = from_plain_word(text);
  return word ? "taken" : word.error().message;
}

}  // namespace

TEST_SUITE("plain words") {
  TEST_CASE("letters, digits, slashes, dots and dashes stay as they are") {
    CHECK(to_plain_word("/home/ada/dev/web-shop.2") == "/home/ada/dev/web-shop.2");
  }

  TEST_CASE("what a shell, a parser or a bus could read in another way is written as its bytes") {
    CHECK(to_plain_word("/a b") == "/a_20b");
    CHECK(to_plain_word("a_b") == "a_5fb");
    CHECK(to_plain_word("%f\n'\"$(x)") == "_25f_0a_27_22_24_28x_29");
    CHECK(to_plain_word("/caf\xc3\xa9/\xff") == "/caf_c3_a9/_ff");
  }

  TEST_CASE("no word begins with a dash or is empty") {
    CHECK(to_plain_word("-e") == "_2de");
    CHECK(to_plain_word("") == "_");
  }

  TEST_CASE("every byte that a file name may have comes back") {
    std::string all;
    for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
    for (const std::string& word : {all, std::string(), std::string("_"), std::string("-"), std::string("_20")}) {
      const auto back = from_plain_word(to_plain_word(word));
      REQUIRE(back.has_value());
      CHECK(*back == word);
    }
  }

  TEST_CASE("what is not written so is refused") {
    for (const char* text : {"", "a b", "_2", "_zz", "-e", "_41", "_2D", "a_00", "a\xff", "__"}) {
      CAPTURE(text);
      CHECK(refused(text).ends_with("' is no word of agentctl's own"));
    }
    CHECK(refused("a\x1b") == "'a\\x1b' is no word of agentctl's own");
  }
}

}  // namespace agentctl::launcher
