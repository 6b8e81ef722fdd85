// SPDX-License-Identifier: Apache-2.0
#include "manager/stale_caches.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/clock.h"
#include "base/text.h"
#include "bwrap/own_directories.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kDayUsec = 24ULL * 3600 * 1'000'000;

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// A state directory with caches of projects, seen some days later.
struct Caches {
  std::string add(const std::string& project) const {
    const std::string name = cat("caches/", bwrap::name_of_path(project));
    scratch.write(name + "/npm/x", "x");
    return cat(scratch.path(), "/", name);
  }

  void clear(std::uint64_t days_later, bool may_look = true, std::uint64_t longest_usec = 10'000'000) const {
    remove_stale_caches({.directory = scratch.path() + "/caches",
                         .now_usec = realtime_usec() + days_later * kDayUsec,
                         .longest_usec = longest_usec,
                         .may_look = [=](const std::string&) { return may_look; }});
  }

  test::ScratchDir scratch;
};

}  // namespace

TEST_SUITE("stale_caches") {
  TEST_CASE("the cache of a project that is gone goes after thirty days, and that of one that is there stays") {
    const Caches caches;
    const std::string gone = caches.add(caches.scratch.path() + "/gone");
    caches.scratch.write("there/file", "x");
    const std::string there = caches.add(caches.scratch.path() + "/there");
    caches.clear(29);
    CHECK(exists(gone));
    caches.clear(31);
    CHECK_FALSE(exists(gone));
    CHECK(exists(there + "/npm/x"));
  }

  TEST_CASE("what may not be looked at, is no cache of a project, or is a link stays") {
    const Caches caches;
    const std::string gone = caches.add("/nowhere/gone");
    caches.clear(31, false);
    CHECK(exists(gone + "/npm/x"));
    caches.scratch.write("caches/odd%name/x", "x");
    const std::string kept = caches.scratch.write("kept/x", "x");
    const std::string link = caches.scratch.path() + "/caches/nowhere!link";
    REQUIRE_EQ(::symlink("../kept", link.c_str()), 0);
    caches.clear(31);
    CHECK_FALSE(exists(gone));
    CHECK(exists(caches.scratch.path() + "/caches/odd%name/x"));
    CHECK(exists(link));
    CHECK(exists(kept));
  }

  TEST_CASE("what is not done in time is left for the next end") {
    const Caches caches;
    const std::string gone = caches.add("/nowhere/gone");
    caches.scratch.write("caches/nowhere!gone/y", "x");
    caches.clear(31, true, 0);
    caches.clear(31);
    CHECK_FALSE(exists(gone));
  }
}

}  // namespace agentctl::manager
