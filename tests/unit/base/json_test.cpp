// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <doctest/doctest.h>

#include "base/quantity.h"

namespace agentctl {

TEST_SUITE("json") {
  TEST_CASE("members stand in the order given") {
    CHECK(JsonObject().str() == "{}");
    CHECK(JsonObject().text("b", "x").number("a", 1).boolean("c", false).str() == R"({"b":"x","a":1,"c":false})");
  }

  TEST_CASE("the largest number is a number, and infinity a word") {
    CHECK(JsonObject().number("n", UINT64_MAX).str() == R"({"n":18446744073709551615})");
    CHECK(JsonObject().limit("n", kInfinity).str() == R"({"n":"infinity"})");
    CHECK(JsonObject().limit("n", 0).str() == R"({"n":0})");
  }

  TEST_CASE("what is absent is null, not zero") {
    CHECK(JsonObject().optional_number("n", std::nullopt).limit("m", std::nullopt).str() == R"({"n":null,"m":null})");
  }

  TEST_CASE("an object stands inside another, and a list may be empty") {
    const std::string inner = JsonObject().list("l", {}).str();
    CHECK(JsonObject().raw("o", inner).list("two", {"a", ""}).str() == R"({"o":{"l":[]},"two":["a",""]})");
  }

  TEST_CASE("no byte of a text ends the text or leaves the line") {
    std::string every;
    for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
    const std::string json = JsonObject().text("t", every).text("k\"ey\n", "").str();
    bool in_text = false;
    for (std::size_t at = 0; at < json.size(); ++at) {
      CHECK(static_cast<unsigned char>(json[at]) >= 0x20);
      if (in_text && json[at] == '\\')
        ++at;
      else if (json[at] == '"')
        in_text = !in_text;
    }
    CHECK_FALSE(in_text);
  }
}

}  // namespace agentctl
