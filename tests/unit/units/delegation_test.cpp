// SPDX-License-Identifier: Apache-2.0
#include "units/delegation.h"

#include <doctest/doctest.h>

namespace agentctl::units {
namespace {

TEST_SUITE("delegation") {
  TEST_CASE("only cgroup2 at its own place with nsdelegate keeps a namespace from its limits") {
    const std::string rest = " - cgroup2 cgroup2 rw,";
    const std::string place = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4";
    CHECK(has_delegation_boundary(place + rest + "nsdelegate,memory_recursiveprot\n"));
    CHECK(has_delegation_boundary("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate"));
    CHECK_FALSE(has_delegation_boundary(place + rest + "memory_recursiveprot\n"));
    CHECK_FALSE(has_delegation_boundary(place + rest + "nonsdelegate\n"));
    CHECK_FALSE(has_delegation_boundary(place + " - tmpfs tmpfs rw,nsdelegate\n"));
    CHECK_FALSE(has_delegation_boundary("30 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n"));
    CHECK_FALSE(has_delegation_boundary(""));
    CHECK_FALSE(has_delegation_boundary("- - -\n"));
  }

  TEST_CASE("of mounts over one another the last one counts") {
    const std::string open = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
    const std::string shut = "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";
    CHECK(has_delegation_boundary(open + shut));
    CHECK_FALSE(has_delegation_boundary(shut + open));
  }
}

}  // namespace
}  // namespace agentctl::units
