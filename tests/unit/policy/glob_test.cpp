// SPDX-License-Identifier: Apache-2.0
#include "policy/glob.h"

#include <string>

#include <doctest/doctest.h>

namespace agentctl::policy {
namespace {

TEST_SUITE("glob") {
  TEST_CASE("a bracket that nothing closes is found within its component") {
    for (const char* path : {"[ab", "a[", "x/[ab/c]", "[]", "[!", "a]["}) {
      CAPTURE(path);
      CHECK(has_open_set(path));
    }
    for (const char* path : {"", "[ab]", "\\[ab", "a]", "[]]", "[[]", "x/[a-z]/[!b]"}) {
      CAPTURE(path);
      CHECK_FALSE(has_open_set(path));
    }
  }

  TEST_CASE("a path is a pattern for itself once it is escaped") {
    CHECK_EQ(escape_glob("/a[b]/c*?\\"), "/a\\[b]/c\\*\\?\\\\");
    CHECK_FALSE(is_glob(escape_glob("/a[b]/c*?")));
  }

  TEST_CASE("a star takes any text within a name, a question mark one character") {
    CHECK(matches_name(".env*", ".env"));
    CHECK(matches_name(".env*", ".env.local"));
    CHECK_FALSE(matches_name(".env*", "a.env"));
    CHECK(matches_name("*.pem", ".pem"));
    CHECK(matches_name("*a*b*c*", "xxaxxbxxc"));
    CHECK_FALSE(matches_name("*a*b*c", "abcb"));
    CHECK(matches_name("a?c", "abc"));
    CHECK_FALSE(matches_name("a?c", "ac"));
    CHECK(matches_name("*", ""));
    CHECK_FALSE(matches_name("", "x"));
  }

  TEST_CASE("a set takes one of its characters, or none of them") {
    CHECK(matches_name("id_[re]*", "id_rsa"));
    CHECK_FALSE(matches_name("id_[re]*", "id_dsa"));
    CHECK(matches_name("[!a-c]x", "dx"));
    CHECK_FALSE(matches_name("[^a-c]x", "bx"));
    CHECK(matches_name("[]a]", "]"));
    CHECK(matches_name("[a-]", "-"));
    CHECK(matches_name("[\x80-\xff]", "\xc3"));
    CHECK(matches_name("[abc", "[abc"));
    CHECK_FALSE(matches_name("[abc", "a"));
  }

  TEST_CASE("a backslash takes the meaning from what follows") {
    CHECK(matches_name("\\*", "*"));
    CHECK_FALSE(matches_name("\\*", "x"));
    CHECK(matches_name("a\\", "a\\"));
    CHECK_FALSE(is_glob("/a/\\*b"));
    CHECK_FALSE(is_glob("/a/[b"));
    CHECK(is_glob("/a/[b]"));
    CHECK_EQ(Glob("/a\\*b/c/*.d").base(), "/a*b/c");
  }

  TEST_CASE("two stars stand for any number of directories, also none") {
    const Glob env("/p/**/.env");
    CHECK_EQ(env.base(), "/p");
    CHECK(env.matches(".env"));
    CHECK(env.matches("a/b/.env"));
    CHECK_FALSE(env.matches("a/b/.env/c"));
    CHECK_FALSE(env.matches("a/b/x.env"));
    const Glob data("/p/data/**");
    CHECK_EQ(data.base(), "/p/data");
    CHECK(data.matches("x"));
    CHECK(data.matches("x/y"));
    CHECK_FALSE(data.matches(""));
    const Glob both("/p/**/a/**/b");
    CHECK(both.matches("a/b"));
    CHECK(both.matches("x/a/y/a/z/b"));
    CHECK_FALSE(both.matches("x/b"));
    CHECK(Glob("/p/**/**/x").matches("x"));
    CHECK_FALSE(Glob("/p/a**b").matches("a/b"));
    CHECK(Glob("/p/a**b").matches("axxb"));
  }

  TEST_CASE("a star does not cross a slash, and a walk need not go where nothing can match") {
    const Glob glob("/p/*/keys/*.pem");
    CHECK(glob.matches("x/keys/a.pem"));
    CHECK_FALSE(glob.matches("x/y/keys/a.pem"));
    const auto state = glob.step(glob.start(), "x");
    CHECK(glob.goes_on(state));
    CHECK_FALSE(glob.goes_on(glob.step(state, "other")));
    CHECK(Glob("/p/**/x").goes_on(Glob("/p/**/x").step(Glob("/p/**/x").start(), "anything")));
  }

  TEST_CASE("a hostile pattern does not take longer than its length times the name's") {
    const std::string name(4000, 'a');
    std::string pattern;
    for (int count = 0; count < 1000; ++count) pattern += "*a";
    CHECK_FALSE(matches_name(pattern + "b", name));
    std::string path = "/p";
    std::string deep;
    for (int count = 0; count < 200; ++count) {
      path += "/**/a";
      deep += "a/";
    }
    CHECK_FALSE(Glob(path + "/b").matches(deep));
  }
}

}  // namespace
}  // namespace agentctl::policy
