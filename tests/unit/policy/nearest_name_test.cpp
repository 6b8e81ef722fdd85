// SPDX-License-Identifier: Apache-2.0
#include "policy/nearest_name.h"

#include <array>

#include <doctest/doctest.h>

namespace agentctl::policy {
namespace {

constexpr std::array<std::string_view, 4> kKnown = {"memory-max", "memory-high", "tasks-max", "oom"};

}  // namespace

TEST_SUITE_BEGIN("nearest_name");

TEST_CASE("a slip of the keyboard finds the name that was meant") {
  CHECK_EQ(nearest_name("memmory-max", kKnown), "memory-max");
  CHECK_EQ(nearest_name("memory_max", kKnown), "memory-max");
  CHECK_EQ(nearest_name("MemoryMax", kKnown), "memory-max");
  CHECK_EQ(nearest_name("taks-max", kKnown), "tasks-max");
  CHECK_EQ(nearest_name("omo", kKnown), "oom");
}

TEST_CASE("a word that was cut short finds the only name that begins so") {
  CHECK_EQ(nearest_name("tas", kKnown), "tasks-max");
  CHECK_EQ(nearest_name("memory-h", kKnown), "memory-high");
  CHECK_EQ(nearest_name("mem", kKnown), "");
}

TEST_CASE("a word that is like none of them finds nothing") {
  CHECK_EQ(nearest_name("frobnicate", kKnown), "");
  CHECK_EQ(nearest_name("x", kKnown), "");
  CHECK_EQ(nearest_name("", kKnown), "");
  CHECK_EQ(nearest_name(std::string(10'000, 'm'), kKnown), "");
  CHECK_EQ(did_you_mean("frobnicate", kKnown), "");
}

TEST_SUITE_END();

}  // namespace agentctl::policy
