// SPDX-License-Identifier: Apache-2.0
#include "manager/surroundings.h"

#include <doctest/doctest.h>

namespace agentctl::manager {
namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_SUITE("surroundings") {
  TEST_CASE("a process is where it is itself, and in its own groups") {
    const auto own = read_surroundings();
    REQUIRE(own.has_value());
    CHECK(own->size() == 6);
    CHECK(compare_surroundings(*own, *own).has_value());
    const auto groups = read_groups();
    REQUIRE(groups.has_value());
    CHECK(compare_groups(*groups, *groups).value().empty());
  }

  TEST_CASE("what differs is named, and so is the remedy") {
    const auto compared =
        compare_surroundings({"mnt:[1]", "net:[2]", "root:[3:4]"}, {"mnt:[1]", "net:[9]", "root:[3:5]"});
    REQUIRE_FALSE(compared.has_value());
    CHECK(compared.error().kind == ErrorKind::environment);
    CHECK(compared.error().message.ends_with("net, root differ"));
    CHECK_FALSE(compared.error().hint.empty());
  }

  TEST_CASE("one that tells less than is asked is somewhere else") {
    CHECK_FALSE(compare_surroundings({"mnt:[1]"}, {"mnt:[1]", "net:[2]"}).has_value());
    CHECK_FALSE(compare_surroundings({"mnt:[1]", "net:[2]"}, {"mnt:[1]"}).has_value());
    CHECK_FALSE(compare_surroundings({}, {"mnt:[1]"}).has_value());
  }

  TEST_CASE("groups that the service manager lacks are told, and those that only it has refused") {
    CHECK(compare_groups({"1000", "27", "999"}, {"1000", "27"}).value() == Words{"999"});
    CHECK(compare_groups({"1000", "27"}, {"27", "1000", "1000"}).value().empty());
    const auto more = compare_groups({"1000"}, {"1000", "27"});
    REQUIRE_FALSE(more.has_value());
    CHECK(more.error().message.ends_with("you are not in: 27"));
  }
}

}  // namespace agentctl::manager
