// SPDX-License-Identifier: Apache-2.0
#include "bwrap/ignore_file.h"

#include <string>

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

IgnoreVerdict of(const char* text, const char* path, bool is_directory = false) {
  return IgnoreFile(text).verdict(path, is_directory);
}

constexpr auto kUnsaid = IgnoreVerdict::unsaid;
constexpr auto kIgnored = IgnoreVerdict::ignored;
constexpr auto kIncluded = IgnoreVerdict::included;

}  // namespace

TEST_SUITE("ignore_file") {
  TEST_CASE("a name without a slash is meant at any depth, one with a slash from the file's directory") {
    CHECK(of(".env\n", ".env") == kIgnored);
    CHECK(of(".env\n", "a/b/.env") == kIgnored);
    CHECK(of("*.pem", "a/server.pem") == kIgnored);
    CHECK(of("/.env\n", "a/.env") == kUnsaid);
    CHECK(of("a/.env\n", "a/.env") == kIgnored);
    CHECK(of("a/.env\n", "b/a/.env") == kUnsaid);
    CHECK(of("**/a/.env\n", "b/a/.env") == kIgnored);
    CHECK(of("a*/.env\n", "abc/.env") == kIgnored);
    CHECK(of("a*c\n", "a/c") == kUnsaid);
  }

  TEST_CASE("the last line that matches counts") {
    CHECK(of(".env*\n!.env.test\n", ".env.test") == kIncluded);
    CHECK(of("!.env.test\n.env*\n", ".env.test") == kIgnored);
    CHECK(of("\\!x\n\\#y\n", "!x") == kIgnored);
    CHECK(of("\\!x\n\\#y\n", "#y") == kIgnored);
  }

  TEST_CASE("a slash at the end means directories alone, two stars what is in one") {
    CHECK(of("keys/\n", "keys") == kUnsaid);
    CHECK(of("keys/\n", "keys", true) == kIgnored);
    CHECK(of("keys/**\n", "keys", true) == kUnsaid);
    CHECK(of("keys/**\n", "keys/a/b") == kIgnored);
  }

  TEST_CASE("comments, empty lines, byte order marks, carriage returns and spaces at the end say nothing") {
    CHECK(of("# .env\n\n", ".env") == kUnsaid);
    CHECK(of("\xef\xbb\xbf.env\r\n", ".env") == kIgnored);
    CHECK(of(".env  \n", ".env") == kIgnored);
    CHECK(of("a\\ \n", "a ") == kIgnored);
    CHECK(of("/\n!\n", "x") == kUnsaid);
  }

  TEST_CASE("what is not understood never counts as ignored") {
    CHECK(of("[[:alpha:]]env\n", "xenv") == kUnsaid);
    CHECK(of("*\n![[:alpha:]]env\n", ".env") == kIncluded);
    CHECK(of("[ab\n", "[ab") == kUnsaid);
    CHECK(of("a\\\n", "a\\") == kUnsaid);
    const std::string long_line = "!" + std::string(5000, 'a');
    CHECK(of(long_line.c_str(), "x") == kIncluded);
    CHECK(IgnoreFile::unknown().verdict("a/b", false) == kIncluded);
  }

  TEST_CASE("a line made for a path matches that path and no other") {
    for (const char* path : {"a/b.env", "odd *?[x]\\/ name ", "#x", "!x", "a\nb", "a\r"}) {
      CAPTURE(path);
      CHECK(of(ignore_line(path).c_str(), path) == kIgnored);
    }
    CHECK(of(ignore_line("a*").c_str(), "ab") == kUnsaid);
    CHECK(of(ignore_line("a/b").c_str(), "c/a/b") == kUnsaid);
  }
}

}  // namespace agentctl::bwrap
