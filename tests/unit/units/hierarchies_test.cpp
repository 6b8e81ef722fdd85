// SPDX-License-Identifier: Apache-2.0
#include "units/hierarchies.h"

#include <doctest/doctest.h>

#include "units/cgroup.h"

namespace agentctl::units {

TEST_SUITE_BEGIN("hierarchies");

TEST_CASE("a v2 host has one hierarchy") {
  const auto found = parse_hierarchies(
      "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n", "0::/user.slice/x.scope\n");
  REQUIRE(found.has_value());
  CHECK(*found == std::vector<Hierarchy>{{"/sys/fs/cgroup", true, "", "/user.slice/x.scope"}});
}

TEST_CASE("a hybrid host has one for each controller, and our place differs") {
  const auto found = parse_hierarchies(
      "30 1 0:20 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
      "31 30 0:21 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
      "32 30 0:22 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "33 30 0:23 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,release_agent=/x,name=systemd\n"
      "34 30 0:24 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
      "9:name=systemd:/\n4:memory:/outer/one\n2:cpu,cpuacct:/\n0::/\n");
  REQUIRE(found.has_value());
  CHECK(*found == std::vector<Hierarchy>{{"/sys/fs/cgroup/cpu,cpuacct", false, "cpu,cpuacct", ""},
                                         {"/sys/fs/cgroup/memory", false, "memory", "/outer/one"},
                                         {"/sys/fs/cgroup/systemd", false, "none,xattr,name=systemd", ""},
                                         {"/sys/fs/cgroup/unified", true, "", ""}});
  CHECK(find_naming_hierarchy(*found) == &found->back());
}

TEST_CASE("a container's mount that shows a part is taken relative to it") {
  const auto found = parse_hierarchies("32 30 0:22 /docker/ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
                                       "4:memory:/docker/ab/inner\n");
  REQUIRE(found.has_value());
  CHECK((*found)[0].own == "/inner");
  CHECK(find_naming_hierarchy(*found) == nullptr);
}

TEST_CASE("a mount that does not show our own cgroup is refused") {
  CHECK_FALSE(
      parse_hierarchies("29 23 0:26 /docker/ab /sys/fs/cgroup rw - cgroup2 none rw\n", "0::/docker/cd\n").has_value());
  CHECK_FALSE(parse_hierarchies("29 23 0:26 / /sys/fs/cgroup rw - cgroup2 none rw\n", "0::/../x\n").has_value());
}

TEST_CASE("what is mounted over counts no more") {
  const auto found = parse_hierarchies(
      "29 23 0:26 / /sys/fs/cgroup/memory rw - cgroup none rw,memory\n"
      "30 23 0:27 / /sys/fs/cgroup rw - cgroup2 none rw\n",
      "4:memory:/\n0::/\n");
  REQUIRE(found.has_value());
  CHECK(found->size() == 1);
}

TEST_CASE("membership is read from v2, hybrid and v1 lines") {
  CHECK(parse_membership("0::/a:b.scope\n").unified == "/a:b.scope");
  const Membership hybrid = parse_membership("5:cpu,cpuacct:/c\n4:memory:/m\n3:pids:/p\n1:name=systemd:/s\n0::/u\n");
  CHECK(hybrid.unified == "/u");
  CHECK(hybrid.cpu == "/c");
  CHECK(hybrid.memory == "/m");
  CHECK(hybrid.pids == "/p");
  CHECK(hybrid.systemd == "/s");
  CHECK(parse_membership("4:memory:/m\n").unified.empty());
  CHECK(parse_membership("garbage\n\n::\n").unified.empty());
}

TEST_SUITE_END();

}  // namespace agentctl::units
