// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/picker.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::launcher {
namespace {

Picker projects() { return Picker({"Project", {"~/dev/webshop", "~/dev/api", "/srv/Web"}, true}); }

std::string shown(const Choice& choice) {
  switch (choice.kind) {
    case Choice::Kind::nothing:
      return "nothing";
    case Choice::Kind::item:
      return cat("item ", choice.item);
    case Choice::Kind::directory:
      return cat("directory ", choice.directory);
  }
  return {};
}

}  // namespace

TEST_SUITE("picker") {
  TEST_CASE("the list is numbered, and the prompt says what an empty line means") {
    CHECK(projects().screen() ==
          "Project:\n  1  ~/dev/webshop\n  2  ~/dev/api\n  3  /srv/Web\n"
          "Number or part of the name, or the path of another directory [1]: ");
    CHECK(Picker({"Agent", {"claude"}, false}).screen() == "Agent:\n  1  claude\nNumber or part of the name [1]: ");
  }

  TEST_CASE("an empty line takes the first, a number that one") {
    CHECK(shown(projects().answer("")) == "item 0");
    CHECK(shown(projects().answer(" 3 ")) == "item 2");
  }

  TEST_CASE("a part of one name alone takes it, in upper or lower case") {
    CHECK(shown(projects().answer("API")) == "item 1");
    CHECK(shown(projects().answer("srv")) == "item 2");
  }

  TEST_CASE("a part of several names leaves those, under their numbers, and an empty line takes the first of them") {
    Picker picker = projects();
    CHECK(shown(picker.answer("web")) == "nothing");
    CHECK(picker.screen().starts_with("Project:\n  1  ~/dev/webshop\n  3  /srv/Web\nNumber"));
    CHECK(shown(picker.answer("2")) == "item 1");
    CHECK(shown(picker.answer("/srv")) == "directory /srv");
    Picker other({"Agent", {"a", "bc", "bd"}, false});
    CHECK(shown(other.answer("b")) == "nothing");
    CHECK(shown(other.answer("")) == "item 1");
  }

  TEST_CASE("what no name has is told, safe to be shown, and the whole list is back") {
    Picker picker = projects();
    CHECK(shown(picker.answer("web")) == "nothing");
    CHECK(shown(picker.answer("x\x1b[2J")) == "nothing");
    CHECK(picker.screen().find("2  ~/dev/api") != std::string::npos);
    CHECK(picker.screen().find("Nothing here has 'x\\x1b[2J' in it.\n") != std::string::npos);
    for (const char* line : {"0", "4", "99999999999999999999999", "-1"}) CHECK(shown(picker.answer(line)) == "nothing");
  }

  TEST_CASE("a path is taken as it is typed, blanks and all, but only where a directory is asked for") {
    for (const char* path : {"/srv/x", "~/x y ", "./x", "../x", ".", ".."})
      CHECK(shown(projects().answer(path)) == cat("directory ", path));
    CHECK(shown(Picker({"Agent", {"claude", "pi"}, false}).answer("/bin/sh")) == "nothing");
  }

  TEST_CASE("without a list only a path will do") {
    Picker picker({"Project", {}, true});
    CHECK(picker.screen() == "Project:\nPath of a directory: ");
    CHECK(shown(picker.answer("")) == "nothing");
    CHECK(shown(picker.answer("1")) == "nothing");
    CHECK(shown(picker.answer("/srv")) == "directory /srv");
  }
}

}  // namespace agentctl::launcher
