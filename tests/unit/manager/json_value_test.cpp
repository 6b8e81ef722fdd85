// SPDX-License-Identifier: Apache-2.0
#include "manager/json_value.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "manager/receipt.h"
#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager {

TEST_SUITE("JSON read back") {
  TEST_CASE("a receipt comes back as it was written") {
    SessionOutcome outcome;
    outcome.ended_usec = 17;
    outcome.problems = {"a\"b\n\x1b\xe2\x82\xac\xf0\x9f\x98\x80"};
    const auto receipt = parse_json(receipt_json(sample_record(), outcome));
    REQUIRE(receipt);
    CHECK((*receipt)["name"].text == "claude-webshop");
    CHECK((*receipt)["ended_usec"].number() == 17);
    CHECK((*receipt)["command"].items.at(1).text == "--continue");
    CHECK((*receipt)["problems"].items.at(0).text == outcome.problems[0]);
    CHECK((*receipt)["limits"]["runtime-max"].text == "infinity");
    CHECK((*receipt)["nothing"]["at all"].number() == 0);
  }

  TEST_CASE("escapes are read, surrogate pairs too") {
    const auto value = parse_json(R"( [ "\u20ac\ud83d\ude00\t\/" , -1.5e3, null, true ] )");
    REQUIRE(value);
    CHECK(value->items.at(0).text == "\xe2\x82\xac\xf0\x9f\x98\x80\t/");
    CHECK(value->items.at(1).text == "-1.5e3");
    CHECK(value->items.at(3).kind == JsonValue::Kind::boolean);
  }

  TEST_CASE("what is not JSON is refused") {
    for (const char* text : {"", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "[1 2]", "\"\\x\"", "\"\\ud800\"", "\"\\u12\"",
                             "tru", "1x", "[1]]", "\"a\nb\"", "{a:1}", "-", "\"a"}) {
      CHECK_MESSAGE(!parse_json(text), text);
    }
    CHECK_FALSE(parse_json(std::string(1000, '[')));
  }
}

}  // namespace agentctl::manager
