// SPDX-License-Identifier: Apache-2.0
#include "manager/detach_keys.h"

#include <doctest/doctest.h>

namespace agentctl::manager {

TEST_SUITE("detach keys") {
  TEST_CASE("C-] d detaches, and nothing of it or after it reaches the agent") {
    DetachKeys keys;
    CHECK(keys.pass("abc\x1d"
                    "drest") == "abc");
    CHECK(keys.found());
  }

  TEST_CASE("the two keys may come apart") {
    DetachKeys keys;
    CHECK(keys.pass("\x1d").empty());
    CHECK_FALSE(keys.found());
    CHECK(keys.pass("d").empty());
    CHECK(keys.found());
  }

  TEST_CASE("C-] twice is one for the agent") {
    DetachKeys keys;
    CHECK(keys.pass("\x1d\x1d"
                    "d") ==
          "\x1d"
          "d");
    CHECK_FALSE(keys.found());
  }

  TEST_CASE("C-] before another key is the agent's, with that key") {
    DetachKeys keys;
    CHECK(keys.pass("\x1dx") == "\x1dx");
    CHECK(keys.pass("\x1d\x1b[A") == "\x1d\x1b[A");
    CHECK_FALSE(keys.found());
  }

  TEST_CASE("keys as the protocols of kitty and xterm send them are known") {
    for (const std::string_view typed : {"\x1b[93;5ud", "\x1b[93;5u\x1b[93;5:3ud", "\x1b[93:125;69u\x1b[57442;5:3ud",
                                         "\x1b[27;5;93~d", "\x1b[93;5u\x1b[100u", "\x1b[93;5:1u\x1b[100;1:1u"}) {
      CAPTURE(std::string(typed));
      DetachKeys keys;
      CHECK(keys.pass(typed).empty());
      CHECK(keys.found());
    }
    DetachKeys keys;
    CHECK(keys.pass("\x1b[93;7ud\x1b[93ud\x1b[57442;5u") == "\x1b[93;7ud\x1b[93ud\x1b[57442;5u");
    CHECK(keys.pass("\x1b[93;5u\x1b[93;5u") == "\x1b[93;5u");
    CHECK_FALSE(keys.found());
  }

  TEST_CASE("every other byte passes unchanged") {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
      if (byte != 0x1d) all += static_cast<char>(byte);
    }
    all += "\x1b[\x1b[;u\x1b[99999999999u\x1b[1;2R";
    DetachKeys keys;
    CHECK(keys.pass(all) == all);
  }
}

}  // namespace agentctl::manager
