// SPDX-License-Identifier: Apache-2.0
#include "base/slow_close.h"

#include <poll.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace agentctl;

TEST_SUITE("slow_close") {
  TEST_CASE("what is closed without waiting is closed before long") {
    int ends[2];
    REQUIRE_EQ(::pipe(ends), 0);
    const UniqueFd reader(ends[0]);
    close_without_waiting(UniqueFd(ends[1]));
    pollfd hung_up{reader.get(), POLLIN, 0};
    REQUIRE_EQ(::poll(&hung_up, 1, 10'000), 1);
    char byte = 0;
    CHECK_EQ(::read(reader.get(), &byte, 1), 0);
  }

  TEST_CASE("nothing to close is nothing to do") { close_without_waiting(UniqueFd()); }
}
