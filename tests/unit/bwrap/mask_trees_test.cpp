// SPDX-License-Identifier: Apache-2.0
#include "bwrap/mask_trees.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

MountInPlace pin(const std::string& path) { return {path, InPlace::pin, false}; }

std::vector<MountInPlace> with_masks(std::vector<MountInPlace> mounts, const std::string& directory, int count) {
  for (int number = 0; number < count; ++number) mounts.push_back({cat(directory, "/", number), InPlace::mask, false});
  return mounts;
}

std::string roots(const std::vector<MountInPlace>& mounts) { return join(find_tree_roots(mounts), " "); }

TEST_SUITE("mask_trees") {
  TEST_CASE("a tree begins at each pin that lies in no other one") {
    CHECK_EQ(roots(with_masks({pin("/p/a"), pin("/p/ab"), pin("/p/a/b")}, "/p/a/b", 30)), "/p/a /p/ab");
  }

  TEST_CASE("what is read-only over itself begins no tree") {
    CHECK_EQ(roots(with_masks({{"/p/a", InPlace::read_only, false}}, "/p/a", 30)), "");
  }

  TEST_CASE("few masks are not worth a tree") { CHECK_EQ(roots(with_masks({pin("/p/a")}, "/p/a", 3)), ""); }

  TEST_CASE("masks that lie in no pin make no tree") {
    CHECK_EQ(roots(with_masks({pin("/p/a")}, "/p", 30)), "");
    CHECK_EQ(roots(with_masks({}, "/p", 30)), "");
  }

  TEST_CASE("no more trees than one message carries") {
    std::vector<MountInPlace> mounts;
    for (int number = 0; number < 400; ++number) mounts.push_back(pin(cat("/p/", number)));
    CHECK_EQ(find_tree_roots(with_masks(mounts, "/p/0", 30)).size(), 252U);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
