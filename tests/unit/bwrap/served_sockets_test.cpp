// SPDX-License-Identifier: Apache-2.0
#include "bwrap/served_sockets.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "base/unique_fd.h"
#include "bwrap/hidden_from_git.h"
#include "bwrap/plan_builder.h"
#include "tests/support/scratch_dir.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kSocket = "/home/ada/shop/tmp/web.sock";

Plan plan_with(const std::vector<std::string>& sockets, const policy::Policy& policy) {
  SampleMachine machine = SampleMachine::debian();
  for (const std::string& path : sockets) machine.socket(path);
  HostFacts facts = machine.facts(policy);
  for (const std::string& path : sockets) facts.served_sockets.push_back(machine.resolve(path));
  return build_plan(policy, facts).value();
}

UniqueFd serve(const std::string& path, int type) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  REQUIRE_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  if (type != SOCK_DGRAM) REQUIRE_EQ(::listen(fd.get(), 1), 0);
  return fd;
}

std::vector<std::string> paths_of(const std::vector<PathFact>& facts) {
  std::vector<std::string> paths;
  for (const PathFact& fact : facts) paths.push_back(fact.canonical.str());
  return paths;
}

}  // namespace

TEST_SUITE("served_sockets") {
  TEST_CASE("of the kernel's list those count that somebody can reach by a path") {
    const char* list =
        "Num       RefCount Protocol Flags    Type St Inode Path\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 20001 /a/listens\n"
        "0000000000000000: 00000003 00000000 00000000 0001 03 20002 /a/connected\n"
        "0000000000000000: 00000002 00000000 00000000 0002 01 20003 /a/takes datagrams\n"
        "0000000000000000: 00000002 00000000 00010000 0005 01 20004 relative/packets\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 20005 @abstract\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 20006\n"
        "half a line";
    CHECK(names_of_served(list) == std::vector<std::string>{"/a/listens", "/a/takes datagrams", "relative/packets"});
    CHECK(names_of_served("").empty());
  }

  TEST_CASE("a served socket in a tree is found, also by a link or after a rename, and a dead one is not") {
    const test::ScratchDir scratch;
    const std::string tree = scratch.path() + "/tree";
    for (const std::string& directory : {tree, tree + "/deep", scratch.path() + "/elsewhere"}) {
      REQUIRE_EQ(::mkdir(directory.c_str(), 0700), 0);
    }
    REQUIRE_EQ(::symlink("deep", (tree + "/link").c_str()), 0);
    const UniqueFd plain = serve(tree + "/plain", SOCK_STREAM);
    const UniqueFd linked = serve(tree + "/link/linked", SOCK_DGRAM);
    const UniqueFd renamed = serve(tree + "/first", SOCK_SEQPACKET);
    REQUIRE_EQ(::rename((tree + "/first").c_str(), (tree + "/renamed").c_str()), 0);
    const UniqueFd outside = serve(scratch.path() + "/elsewhere/outside", SOCK_STREAM);
    serve(tree + "/deep/dead", SOCK_STREAM).reset();
    PathResolver resolver;
    CHECK(paths_of(find_served_sockets({tree}, resolver)) ==
          std::vector<std::string>{tree + "/deep/linked", tree + "/plain", tree + "/renamed"});
  }

  TEST_CASE("a relative name is looked for where processes stand") {
    const test::ScratchDir scratch;
    const UniqueFd before(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE_EQ(::chdir(scratch.path().c_str()), 0);
    const UniqueFd relative = serve("relative.sock", SOCK_STREAM);
    PathResolver resolver;
    const std::vector<std::string> found = paths_of(find_served_sockets({scratch.path()}, resolver));
    REQUIRE_EQ(::fchdir(before.get()), 0);
    CHECK(found == std::vector<std::string>{scratch.path() + "/relative.sock"});
  }

  TEST_CASE("what is shown of them is hidden, told, and ignored by git") {
    policy::Policy policy = sample_policy();
    const Plan plan = plan_with({kSocket, "/home/ada/other.sock"}, policy);
    CHECK(plan.hidden == std::vector<std::string>{kSocket});
    REQUIRE_EQ(plan.warnings.size(), 2);
    CHECK_EQ(plan.warnings[1], cat("files: hidden, since programs outside serve them: the socket '", kSocket,
                                   "'; --rw with the path of one lets the session connect to it"));
    const auto list = std::find_if(plan.operations.begin(), plan.operations.end(), [](const Operation& operation) {
      return operation.destination.str() == kIgnoreListPath;
    });
    REQUIRE(list != plan.operations.end());
    CHECK_EQ(list->text, "/tmp/web.sock\n");
  }

  TEST_CASE("one that the policy names stays, and none is brought in") {
    policy::Policy policy = sample_policy();
    policy.files.read_write = entries({"./tmp/web.sock"});
    const Plan plan = plan_with({kSocket, "/home/ada/shop/other.sock"}, policy);
    CHECK(plan.hidden == std::vector<std::string>{"/home/ada/shop/other.sock"});
    policy.files.read_write = entries({"/run/docker.sock"});
    SampleMachine machine = SampleMachine::debian();
    machine.socket("/run/docker.sock");
    const auto refused = build_plan(policy, machine.facts(policy));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("is a socket, and no other entry shows") != std::string::npos);
  }
}

}  // namespace agentctl::bwrap
