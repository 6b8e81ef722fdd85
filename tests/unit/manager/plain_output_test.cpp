// SPDX-License-Identifier: Apache-2.0
#include "manager/plain_output.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace agentctl::manager {
namespace {

std::string plain(std::string_view output) {
  PlainOutput whole;
  std::string text = whole.pass(output);
  text += whole.rest();
  PlainOutput pieces;
  std::string joined;
  for (const char byte : output) joined += pieces.pass(std::string_view(&byte, 1));
  joined += pieces.rest();
  CHECK(joined == text);
  return text;
}

}  // namespace

TEST_SUITE("plain output") {
  TEST_CASE("lines come out as lines, and one without an end at the end") {
    CHECK(plain("one\r\ntwo\n\nthree") == "one\ntwo\n\nthree\n");
    CHECK(plain("").empty());
  }

  TEST_CASE("control sequences of all kinds are gone") {
    CHECK(plain("\x1b[1;31mred\x1b[0m \x1b]0;title\atext\x1bPq#0\x1b\\ \x1b_G\x1b\\end\x1b(B\n") == "red text end\n");
  }

  TEST_CASE("a line that was written over stands there as it was last") {
    CHECK(plain("10%\r50%\r100%\r\ndone\n") == "100%\ndone\n");
    CHECK(plain("kept\r") == "kept\n");
    CHECK(plain("typo\b\b\xc3\xb6\b\bs\n") == "ts\n");
  }

  TEST_CASE("what a full-screen program puts in different places are different lines") {
    CHECK(plain("\x1b[1;1Hfirst\x1b[2;1Hsecond\x1b[3Cthird") == "first\nsecond third\n");
  }

  TEST_CASE("tabs go to columns of eight") { CHECK(plain("a\tb\n") == "a       b\n"); }

  TEST_CASE("nothing is left that a terminal would obey") {
    CHECK(plain("a\x9b"
                "31m\xc2\x9d"
                "b\xe2\x80\xae"
                "c\x7f\x05\xff\n") ==
          "a\xef\xbf\xbd"
          "31m\xef\xbf\xbd"
          "b\\u202ec\xef\xbf\xbd\n");
  }

  TEST_CASE("a line without end is cut, and not kept for ever") {
    PlainOutput plain_output;
    std::size_t size = 0;
    for (int at = 0; at < 1000; ++at) size += plain_output.pass(std::string(1000, 'x')).size();
    CHECK(size > 900'000);
  }
}

}  // namespace agentctl::manager
