// SPDX-License-Identifier: Apache-2.0
#include "manager/disk_watch.h"

#include <doctest/doctest.h>

using namespace agentctl::manager;

namespace {

constexpr std::uint64_t kMib = 1ULL << 20;
constexpr std::uint64_t kGib = 1ULL << 30;

}  // namespace

TEST_SUITE_BEGIN("disk_watch");

TEST_CASE("a fiftieth is to stay free, and 1 GiB is enough") {
  CHECK(low_mark({100 * kMib, 0}) == 2 * kMib);
  CHECK(low_mark({4096 * kGib, 0}) == kGib);
}

TEST_CASE("where much is left nobody wakes up for it") {
  CHECK_FALSE(usec_until_look({1000 * kGib, 100 * kGib}, kGib));
  CHECK_FALSE(usec_until_look({1000 * kGib, 12 * kGib}, kGib));
}

TEST_CASE("the less is left, the sooner it is looked at, and not all the time") {
  CHECK(usec_until_look({1000 * kGib, 6 * kGib}, kGib).value() / 100'000 == 49);
  CHECK(usec_until_look({1000 * kGib, kGib + kMib}, kGib) == 1'000'000);
  CHECK(usec_until_look({1000 * kGib, 0}, kGib) == 1'000'000);
}

TEST_SUITE_END();
