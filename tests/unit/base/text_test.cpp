// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <doctest/doctest.h>

namespace agentctl {

using namespace std::string_literals;
using Words = std::vector<std::string>;

TEST_SUITE_BEGIN("text");

TEST_CASE("text and numbers are put one after the other") {
  CHECK_EQ(cat("a", 'b', 3, -4L, std::string("c")), "ab3-4c");
}

TEST_CASE("splitting keeps empty parts, and joining them gives the text back") {
  CHECK(split("a,,b,", ',') == Words{"a", "", "b", ""});
  CHECK(split("", ',') == Words{""});
  CHECK_EQ(join({"a", "b"}, ", "), "a, b");
  CHECK_EQ(join({}, ", "), "");
  CHECK_EQ(join_some({"a", "b"}, ", ", 2), "a, b");
  CHECK_EQ(join_some({"a", "b", "c"}, ", ", 2), "a, b and 1 more");
}

TEST_CASE("blanks at both ends are trimmed and those inside stay") {
  CHECK_EQ(trim(" \t a b\r\n"), "a b");
  CHECK_EQ(trim(" \n"), "");
}

TEST_CASE("a path is below an ancestor only at a component's end") {
  CHECK(starts_with_path("/a/b", "/a"));
  CHECK(starts_with_path("/a", "/a"));
  CHECK(starts_with_path("/a", "/"));
  CHECK_FALSE(starts_with_path("/ab", "/a"));
  CHECK_FALSE(starts_with_path("/a", "/a/b"));
}

TEST_CASE("plain text in any language is shown as it is") {
  CHECK_EQ(printable("grün 漢字 🙂 a b"), "grün 漢字 🙂 a b");
}

TEST_CASE("what could drive a terminal is shown as an escape") {
  CHECK_EQ(printable("\x1b[2J"), "\\x1b[2J");
  CHECK_EQ(printable("a\r\nb\tc"), "a\\x0d\\x0ab\\x09c");
  CHECK_EQ(printable("a\0b"s), "a\\x00b");
  CHECK_EQ(printable("\x7f"), "\\x7f");
  CHECK_EQ(printable("\xc2\x9b"
                     "2J"),
           "\\x9b2J");
}

TEST_CASE("what makes a line look like another is shown as an escape") {
  CHECK_EQ(printable("a\u202eb"), "a\\u202eb");
  CHECK_EQ(printable("a\u200bb"), "a\\u200bb");
  CHECK_EQ(printable("\ufeffa"), "\\ufeffa");
}

TEST_CASE("bytes that are not UTF-8 are shown one by one") {
  CHECK_EQ(printable("a\xff"
                     "b"),
           "a\\xffb");
  CHECK_EQ(printable("\xc3"), "\\xc3");
  CHECK_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  CHECK_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  CHECK_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("a word is quoted only where a shell needs it") {
  CHECK_EQ(shell_quote("/usr/bin/a-b_c.d"), "/usr/bin/a-b_c.d");
  CHECK_EQ(shell_quote(""), "''");
  CHECK_EQ(shell_quote("a b"), "'a b'");
  CHECK_EQ(shell_quote("it's"), "'it'\\''s'");
  CHECK_EQ(shell_quote("$(x) `y` ~ * !"), "'$(x) `y` ~ * !'");
  CHECK_EQ(shell_quote("a\nb'c"), "$'a\\x0ab\\'c'");
  CHECK_EQ(shell_quote(Words{"a", "b c"}), "a 'b c'");
}

TEST_CASE("a JSON string is always valid JSON and valid UTF-8") {
  CHECK_EQ(json_quote("a\"b\\c"), "\"a\\\"b\\\\c\"");
  CHECK_EQ(json_quote("\x1b\n"), "\"\\u001b\\u000a\"");
  CHECK_EQ(json_quote("\xff"), "\"\\ufffd\"");
  CHECK_EQ(json_quote("ü\u202e"), "\"ü\\u202e\"");
}

TEST_SUITE_END();

}  // namespace agentctl
