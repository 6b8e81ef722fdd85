// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "policy/policy_reader.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::policy {
namespace {

std::string refusal(const std::string& path) {
  const auto policy = load_policy_file(path);
  if (policy) return "accepted";
  CHECK(policy.error().kind == ErrorKind::policy);
  return policy.error().message;
}

std::string cannot_read(const std::string& path, const std::string& why) {
  return "cannot read the policy '" + path + "': " + why;
}

}  // namespace

TEST_SUITE_BEGIN("policy_file");

TEST_CASE("a file that is not there is no policy") {
  const test::ScratchDir dir;
  const auto policy = load_policy_file(dir.path() + "/policy.toml");
  REQUIRE(policy);
  CHECK_FALSE(policy->limits.memory_max.has_value());
}

TEST_CASE("a file is read, and its path is the origin of its rules") {
  const test::ScratchDir dir;
  const std::string path = dir.write("policy.toml", "[limits]\ntasks-max = 100\n");
  const auto policy = load_policy_file(path);
  REQUIRE(policy);
  CHECK_EQ(to_string(policy->limits.tasks_max->origin), path + ":2:13");
}

TEST_CASE("all mistakes of a file are in the one error") {
  const test::ScratchDir dir;
  const std::string path = dir.write("policy.toml", "[limits]\ntasks-max = 0\noom = 1\n");
  const std::string text = refusal(path);
  CHECK(text.starts_with(path + ":2:13: error: 'tasks-max' must not be 0"));
  CHECK(text.find("\n" + path + ":3:7: error: 'oom' must be") != std::string::npos);
}

TEST_CASE("a file that cannot be read is an error, not the absence of a policy") {
  const test::ScratchDir dir;
  const std::string path = dir.path() + "/policy.toml";
  SUBCASE("a directory") {
    REQUIRE_EQ(::mkdir(path.c_str(), 0700), 0);
    CHECK_EQ(refusal(path), cannot_read(path, "it is a directory, not a file"));
  }
  SUBCASE("a pipe that nobody writes") {
    REQUIRE_EQ(::mkfifo(path.c_str(), 0600), 0);
    CHECK_EQ(refusal(path), cannot_read(path, "it is a pipe, not a file"));
  }
  SUBCASE("a device") {
    REQUIRE_EQ(::symlink("/dev/zero", path.c_str()), 0);
    CHECK_EQ(refusal(path), cannot_read(path, "it is a device, not a file"));
  }
  SUBCASE("a link to nothing") {
    REQUIRE_EQ(::symlink("gone", path.c_str()), 0);
    CHECK_EQ(refusal(path), cannot_read(path, "it is a link to a file that is not there"));
  }
  SUBCASE("a link to itself") {
    REQUIRE_EQ(::symlink("policy.toml", path.c_str()), 0);
    CHECK_EQ(refusal(path), cannot_read(path, "Too many levels of symbolic links"));
  }
  SUBCASE("below a file, where there is none") {
    const std::string file = dir.write("file", "");
    CHECK_EQ(refusal(file + "/policy.toml"), "accepted");
  }
  SUBCASE("too large") {
    dir.write("policy.toml", std::string(300'000, '#'));
    CHECK_EQ(refusal(path), cannot_read(path, "it is larger than 256 KiB"));
  }
  SUBCASE("without permission") {
    dir.write("policy.toml", "");
    REQUIRE_EQ(::chmod(path.c_str(), 0), 0);
    REQUIRE_EQ(::chmod(dir.path().c_str(), 0755), 0);
    const uid_t caller = ::geteuid();
    if (caller == 0) REQUIRE_EQ(::seteuid(65534), 0);  // root reads everything
    const std::string text = refusal(path);
    if (caller == 0) REQUIRE_EQ(::seteuid(0), 0);
    CHECK_EQ(text, cannot_read(path, "Permission denied"));
  }
}

TEST_SUITE_END();

}  // namespace agentctl::policy
