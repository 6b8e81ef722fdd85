// SPDX-License-Identifier: Apache-2.0
#include "bwrap/own_directories.h"

#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include <doctest/doctest.h>

#include "base/file.h"
#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode : 0;
}

struct Place {
  test::ScratchDir scratch;
  OwnDirectories own{scratch.path() + "/state/caches/x", scratch.path() + "/state/homes/x/home", {}};

  MountPoint point(const std::string& below, const std::string& source = {}) {
    MountPoint point;
    point.below = below;
    point.source = HostPath(source);
    return point;
  }
};

}  // namespace

TEST_SUITE_BEGIN("own_directories");

TEST_CASE("the name of a path can be read, and no two paths share one") {
  CHECK_EQ(name_of_path("/home/ada/a-shop"), "home!ada!a-shop");
  std::set<std::string> names;
  const std::string part(150, 'a');
  const std::vector<std::string> paths = {"/a/b",
                                          "/a!b",
                                          "/a%21b",
                                          "/a%b",
                                          "/a/%b",
                                          "/a%/b",
                                          "/a%25b",
                                          "/a",
                                          "/%+",
                                          cat("/", part, part.substr(0, 50)),
                                          cat("/", part, part),
                                          cat("/", part, "/", part),
                                          cat("/", part, "!", part)};
  for (const std::string& path : paths) names.insert(name_of_path(path));
  CHECK_EQ(names.size(), paths.size());
}

TEST_CASE("a path is found again from its name, and nothing is made of what is no such name") {
  for (const char* path : {"/home/ada/a-shop", "/a!b/c%d", "/100%21/!"}) {
    CAPTURE(path);
    CHECK_EQ(path_of_name(name_of_path(path)).value_or("nothing"), path);
  }
  CHECK_FALSE(path_of_name("a%+"));
  CHECK_FALSE(path_of_name("a%2"));
  CHECK_FALSE(path_of_name("a%30"));
  CHECK_FALSE(path_of_name(std::string(300, 'a')));
}

TEST_CASE("a long path is cut into names that fit, and lies in no other path's directory") {
  const std::string at_the_edge(200, 'a');
  const std::string name = name_of_path(cat("/", at_the_edge, "b"));
  CHECK_FALSE(name.starts_with(cat(name_of_path("/" + at_the_edge), "/")));
  for (const std::string& piece : split(name_of_path(std::string(4000, '!')), '/')) CHECK(piece.size() <= 255);
}

TEST_CASE("a cache and a home are made for us alone") {
  Place place;
  CHECK(prepare(place.own).has_value());
  CHECK_EQ(mode_of(place.own.cache), S_IFDIR | 0700);
  CHECK_EQ(mode_of(place.own.home), S_IFDIR | 0700);
}

TEST_CASE("mount points are made of the type of what comes there, and left alone where they are") {
  Place place;
  const std::string file = place.scratch.write("host/file", "x");
  place.own.mount_points = {place.point("a/b/directory", place.scratch.path() + "/host"), place.point(".file", file),
                            place.point("empty")};
  for (int time = 0; time < 2; ++time) {
    CHECK(prepare(place.own).has_value());
    CHECK(S_ISDIR(mode_of(place.own.home + "/a/b/directory")));
    CHECK(S_ISREG(mode_of(place.own.home + "/.file")));
    CHECK(S_ISDIR(mode_of(place.own.home + "/empty")));
  }
}

TEST_CASE("a link that a session left at a mount point or above one is refused and not followed") {
  for (const char* link : {"trap", "trap/deep/er"}) {
    Place place;
    place.scratch.write("victim/kept", "x");
    CHECK(prepare(place.own).has_value());
    REQUIRE_EQ(::symlink((place.scratch.path() + "/victim").c_str(), (place.own.home + "/trap").c_str()), 0);
    place.own.mount_points = {place.point(link)};
    const auto prepared = prepare(place.own);
    REQUIRE_FALSE(prepared.has_value());
    CHECK(prepared.error().message.find("something else is in the way at 'trap'") != std::string::npos);
    CHECK_EQ(mode_of(place.scratch.path() + "/victim/deep"), 0);
  }
}

TEST_CASE("a file in the way of a directory is refused") {
  Place place;
  CHECK(prepare(place.own).has_value());
  place.scratch.write("state/homes/x/home/taken", "x");
  place.own.mount_points = {place.point("taken")};
  CHECK_FALSE(prepare(place.own).has_value());
}

TEST_CASE("a copy is made once and then the session's own") {
  Place place;
  MountPoint copy = place.point(".agent.json", place.scratch.write("host/agent.json", "first"));
  copy.is_copy = true;
  place.own.mount_points = {copy};
  CHECK(prepare(place.own).has_value());
  CHECK_EQ(read_file(place.own.home + "/.agent.json").value(), "first");
  place.scratch.write("state/homes/x/home/.agent.json", "changed inside");
  CHECK(prepare(place.own).has_value());
  CHECK_EQ(read_file(place.own.home + "/.agent.json").value(), "changed inside");
}

TEST_CASE("the link that bwrap made last time goes, and nothing else does") {
  Place place;
  MountPoint link = place.point(".gitconfig");
  link.is_link = true;
  CHECK(prepare(place.own).has_value());
  REQUIRE_EQ(::symlink("dot/gitconfig", (place.own.home + "/.gitconfig").c_str()), 0);
  place.own.mount_points = {link};
  CHECK(prepare(place.own).has_value());
  CHECK_EQ(mode_of(place.own.home + "/.gitconfig"), 0);
  place.scratch.write("state/homes/x/home/.gitconfig", "a file");
  CHECK_FALSE(prepare(place.own).has_value());
}

TEST_CASE("a home serves one session at a time") {
  Place place;
  auto held = prepare(place.own);
  REQUIRE(held.has_value());
  const auto second = prepare(place.own);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().message.find("another session has it") != std::string::npos);
  held->reset();
  CHECK(prepare(place.own).has_value());
}

TEST_SUITE_END();

}  // namespace agentctl::bwrap
