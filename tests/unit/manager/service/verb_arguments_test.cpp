// SPDX-License-Identifier: Apache-2.0
#include "manager/service/verb_arguments.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace agentctl::manager::service {
namespace {

using Words = std::vector<std::string>;
using Texts = std::vector<std::string>;

Words start(const Options& options) {
  const auto arguments = start_arguments(options);
  REQUIRE_MESSAGE(arguments.has_value(), arguments.error().message);
  return arguments->words;
}

template <typename Arguments>
std::string message_of(const Result<Arguments>& arguments) {
  REQUIRE_FALSE(arguments.has_value());
  CHECK(arguments.error().kind == ErrorKind::usage);
  return arguments.error().message;
}

// With the project that every start needs.
std::string refused_start(const std::string& key, OptionValue value) {
  return message_of(start_arguments({{"project", std::string("/p")}, {key, std::move(value)}}));
}

}  // namespace

TEST_SUITE("verb_arguments") {
  TEST_CASE("a start is detached, in its project, with the options as words of their own") {
    const Options options = {{"project", std::string("/home/ada/web shop")},
                             {"command", Texts{"claude", "--continue"}},
                             {"memory-max", std::string("8G")},
                             {"hide", Texts{"./a", "./b"}},
                             {"no-limits", false}};
    const auto arguments = start_arguments(options);
    REQUIRE(arguments.has_value());
    CHECK(arguments->project == "/home/ada/web shop");
    CHECK(arguments->words == Words{"start", "--detach", "--json", "--quiet", "--memory-max=8G", "--hide=./a",
                                    "--hide=./b", "--", "claude", "--continue"});
  }

  TEST_CASE("without a command the profile's is started") {
    CHECK(start({{"project", std::string("/p")}, {"profile", std::string("claude")}}) ==
          Words{"start", "--detach", "--json", "--quiet", "--profile=claude", "--"});
  }

  TEST_CASE("no value can pass for an option") {
    const Words words = start({{"project", std::string("/p")},
                               {"name", std::string("--no-limits")},
                               {"ro", Texts{"--rw=/"}},
                               {"command", Texts{"--manager=system", "--"}}});
    CHECK(words == Words{"start", "--detach", "--json", "--quiet", "--name=--no-limits", "--ro=--rw=/", "--",
                         "--manager=system", "--"});
  }

  TEST_CASE("an unknown option is refused, with the nearest that is known") {
    CHECK(refused_start("memory_max", std::string("8G")) == "unknown option 'memory_max'; did you mean 'memory-max'?");
    for (const char* key : {"detach", "parent-pid", "dry-run", "json", "quiet", "--name", "", "x\x1b[2J"}) {
      CHECK(refused_start(key, std::string("1")).starts_with("unknown option '"));
    }
    CHECK(refused_start("x\x1b[2J", std::string("1")).find('\x1b') == std::string::npos);
  }

  TEST_CASE("a value of another type is refused with both types") {
    CHECK(refused_start("memory-max", OtherType{"t"}) == "'memory-max' must be of type 's', not 't'");
    CHECK(refused_start("hide", std::string("./a")) == "'hide' must be of type 'as', not 's'");
    CHECK(refused_start("no-limits", std::string("yes")) == "'no-limits' must be of type 'b', not 's'");
    CHECK(refused_start("command", OtherType{"av"}) == "'command' must be of type 'as', not 'av'");
  }

  TEST_CASE("an option that is given twice is refused") {
    CHECK(message_of(start_arguments({{"project", std::string("/p")}, {"project", std::string("/q")}})) ==
          "'project' is given twice");
  }

  TEST_CASE("an empty text is refused: a command line would take the next word for it") {
    CHECK(refused_start("name", std::string()) == "'name' must not be empty");
    CHECK(refused_start("ro", Texts{"/a", ""}) == "'ro' must not hold an empty text");
    CHECK(refused_start("command", Texts{""}) == "'command' must begin with a program");
    CHECK(start({{"project", std::string("/p")}, {"command", Texts{"echo", ""}}}).back().empty());
  }

  TEST_CASE("a start without a project, or with a relative one, is refused") {
    CHECK(message_of(start_arguments({})) == "'project' is missing");
    CHECK(message_of(start_arguments({{"project", std::string("web shop")}})) ==
          "'project' must be an absolute path, not 'web shop'");
  }

  TEST_CASE("a stop takes a grace or none") {
    CHECK(*stop_arguments("1a2b3c4d", {}) == Words{"stop", "1a2b3c4d"});
    CHECK(*stop_arguments("1a2b3c4d", {{"grace", std::string("3s")}}) == Words{"stop", "--grace=3s", "1a2b3c4d"});
    CHECK(*stop_arguments("1a2b3c4d", {{"kill", true}}) == Words{"stop", "--kill", "1a2b3c4d"});
    CHECK(*stop_arguments("1a2b3c4d", {{"kill", false}}) == Words{"stop", "1a2b3c4d"});
  }

  TEST_CASE("a stop takes nothing else") {
    CHECK(message_of(stop_arguments("1a2b3c4d", {{"all", true}})) == "unknown option 'all'");
    CHECK(message_of(stop_arguments("1a2b3c4d", {{"grace", OtherType{"u"}}})) ==
          "'grace' must be of type 's', not 'u'");
  }

  TEST_CASE("limits are set as they are typed") {
    CHECK(*set_arguments("1a2b3c4d", {{"memory-max", std::string("8G")}, {"force", true}}) ==
          Words{"set", "--force", "1a2b3c4d", "memory-max=8G"});
  }

  TEST_CASE("no limit, an unknown one or a number without a unit is refused") {
    CHECK(message_of(set_arguments("1a2b3c4d", {})) == "no limit is given");
    CHECK(message_of(set_arguments("1a2b3c4d", {{"force", true}})) == "no limit is given");
    CHECK(
        message_of(set_arguments("1a2b3c4d", {{"memory", std::string("8G")}})).starts_with("unknown option 'memory'"));
    CHECK(message_of(set_arguments("1a2b3c4d", {{"tasks-max", OtherType{"t"}}})) ==
          "'tasks-max' must be of type 's', not 't'");
  }
}

}  // namespace agentctl::manager::service
