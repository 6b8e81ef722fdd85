// SPDX-License-Identifier: Apache-2.0
#include "manager/service/memory_use.h"

#include <doctest/doctest.h>

#include "base/quantity.h"

namespace agentctl::manager::service {

TEST_SUITE_BEGIN("memory_use");

TEST_CASE("cached files do not count: they make way") {
  constexpr std::string_view kStat =
      "anon 500\nfile 400\nkernel 100\nshmem 50\nactive_anon 40\ninactive_anon 460\nactive_file 250\ninactive_file "
      "100\n"
      "slab_reclaimable 30\nslab_unreclaimable 20\n";
  CHECK(memory_use(1000, 1000, kStat) == MemoryUse{620, 1000});
  CHECK_FALSE(is_near_limit(memory_use(1000, 1000, kStat)));
  CHECK(is_near_limit(memory_use(1000, 1000, "anon 990\nactive_file 10\n")));
}

TEST_CASE("figures that were not read at one moment do not wrap around") {
  CHECK(memory_use(10, 1000, "active_file 800\ninactive_file 900\n") == MemoryUse{0, 1000});
  CHECK(memory_use(10, 1000, "nonsense") == MemoryUse{10, 1000});
}

TEST_CASE("near is nine tenths, far is less than three quarters, and between them is neither") {
  CHECK(is_near_limit({900, 1000}));
  CHECK_FALSE(is_near_limit({899, 1000}));
  CHECK(is_far_from_limit({749, 1000}));
  CHECK_FALSE(is_far_from_limit({750, 1000}));
}

TEST_CASE("nothing is near a limit that is not there") {
  CHECK_FALSE(is_near_limit({1ULL << 60, kInfinity}));
  CHECK(is_far_from_limit({1ULL << 60, kInfinity}));
}

TEST_SUITE_END();

}  // namespace agentctl::manager::service
