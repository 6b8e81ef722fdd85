// SPDX-License-Identifier: Apache-2.0
#include "base/directory_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "tests/support/scratch_dir.h"

using namespace agentctl;

namespace {

// Each test is run with both.
Result<DirectoryWatch> create() {
  auto source = NameEvents::Source::inotify;
  SUBCASE("by inotify") {}
  SUBCASE("by fanotify") { source = NameEvents::Source::fanotify; }
  return DirectoryWatch::create(source);
}

std::vector<WatchedDirectory> held(const std::vector<std::string>& paths) {
  std::vector<WatchedDirectory> directories;
  for (const std::string& path : paths) {
    directories.push_back({path, UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))});
  }
  return directories;
}

Result<int> keep(DirectoryWatch& watch, const WatchedDirectory& directory) {
  return watch.keep(directory.path, directory.fd.get());
}

void touch(const std::string& path) { UniqueFd(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)); }

}  // namespace

TEST_CASE("what is made in a watched directory or moved there is told, what goes away is not") {
  const test::ScratchDir scratch;
  const std::string root = scratch.path();
  auto watch = create();
  REQUIRE(watch);
  REQUIRE(watch->watch(held({root})));
  touch(root + "/made");
  ::rename((root + "/made").c_str(), (root + "/moved").c_str());
  REQUIRE(::link((root + "/moved").c_str(), (root + "/linked").c_str()) == 0);
  ::unlink((root + "/moved").c_str());
  const auto appeared = watch->read();
  REQUIRE(appeared);
  CHECK(appeared->paths == std::vector<std::string>{root + "/made", root + "/moved", root + "/linked"});
  CHECK_FALSE(appeared->incomplete);
  CHECK(watch->read()->paths.empty());
}

TEST_CASE("a directory that is no longer asked for is watched no longer, one that stays misses nothing") {
  const test::ScratchDir scratch;
  const std::string root = scratch.path();
  ::mkdir((root + "/a").c_str(), 0700);
  ::mkdir((root + "/b").c_str(), 0700);
  auto watch = create();
  REQUIRE(watch);
  REQUIRE(watch->watch(held({root + "/a", root + "/b"})));
  touch(root + "/a/early");
  REQUIRE(watch->watch(held({root + "/a"})));
  touch(root + "/b/unseen");
  touch(root + "/a/late");
  CHECK(watch->read()->paths == std::vector<std::string>{root + "/a/early", root + "/a/late"});
}

TEST_CASE("a watched directory is the one that is held, whatever stands at its path") {
  const test::ScratchDir scratch;
  const std::string root = scratch.path();
  ::mkdir((root + "/a").c_str(), 0700);
  const auto directories = held({root + "/a"});
  ::rename((root + "/a").c_str(), (root + "/b").c_str());
  auto watch = create();
  REQUIRE(watch);
  REQUIRE(watch->watch(directories));
  touch(root + "/b/x");
  CHECK(watch->read()->paths == std::vector<std::string>{root + "/a/x"});
}

TEST_CASE("a kept directory tells its new names by number, and which of them are directories") {
  const test::ScratchDir scratch;
  const std::string root = scratch.path();
  auto watch = create();
  REQUIRE(watch);
  const auto directories = held({root});
  const auto kept = keep(*watch, directories.front());
  REQUIRE(kept);
  CHECK(*keep(*watch, directories.front()) == *kept);
  ::mkdir((root + "/sub").c_str(), 0700);
  touch(root + "/file");
  const auto appeared = watch->read();
  REQUIRE(appeared->names.size() == 2);
  CHECK(appeared->names[0].watch == *kept);
  CHECK(appeared->names[0].name == "sub");
  CHECK(appeared->names[0].directory);
  CHECK_FALSE(appeared->names[1].directory);
  CHECK(appeared->paths.empty());
}

TEST_CASE("a kept directory stays watched when it is no longer named, and a named one when it is no longer kept") {
  const test::ScratchDir scratch;
  auto watch = create();
  REQUIRE(watch);
  const auto directories = held({scratch.path()});
  REQUIRE(watch->watch(directories));
  const int kept = keep(*watch, directories.front()).value();
  REQUIRE(watch->watch({}));
  touch(scratch.path() + "/one");
  CHECK(watch->read()->names.size() == 1);
  REQUIRE(watch->watch(directories));
  watch->forget(kept);
  touch(scratch.path() + "/two");
  const auto appeared = watch->read();
  CHECK(appeared->names.empty());
  CHECK(appeared->paths == std::vector<std::string>{scratch.path() + "/two"});
}

TEST_CASE("a kept directory that is removed is told once") {
  const test::ScratchDir scratch;
  const std::string sub = scratch.path() + "/sub";
  ::mkdir(sub.c_str(), 0700);
  auto watch = create();
  REQUIRE(watch);
  const int kept = keep(*watch, held({sub}).front()).value();
  ::rmdir(sub.c_str());
  CHECK(watch->read()->gone == std::vector<int>{kept});
  CHECK(watch->read()->gone.empty());
}

TEST_CASE("many new names at once are all told, however long the queue") {
  const test::ScratchDir scratch;
  auto watch = create();
  REQUIRE(watch);
  REQUIRE(keep(*watch, held({scratch.path()}).front()));
  constexpr int kNames = 3000;
  for (int number = 0; number < kNames; ++number) touch(scratch.path() + "/" + std::to_string(number));
  const auto appeared = watch->read();
  CHECK(appeared->crowded);
  CHECK_FALSE(appeared->dropped);
  REQUIRE(appeared->names.size() == kNames);
  CHECK(appeared->names.back().name == std::to_string(kNames - 1));
}
