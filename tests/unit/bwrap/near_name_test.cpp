// SPDX-License-Identifier: Apache-2.0
#include "bwrap/near_name.h"

#include <doctest/doctest.h>

#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {

TEST_SUITE("near_name") {
  TEST_CASE("the name beside the first missing one is found, and nothing where none is near") {
    const test::ScratchDir scratch;
    const std::string directory = scratch.path() + "/home";
    scratch.write("home/.npmrc", "");
    scratch.write("home/.wapp", "");
    CHECK_EQ(near_name(directory + "/.nmprc"), directory + "/.npmrc");
    CHECK_EQ(near_name(directory + "/.wasp/deeper/file"), directory + "/.wapp");
    CHECK_EQ(near_name(scratch.path() + "/hoem/.npmrc"), directory);
    CHECK_EQ(near_name(directory + "/something-else"), "");
    CHECK_EQ(near_name("/no-such-directory-here/x"), "");
  }
}

}  // namespace agentctl::bwrap
