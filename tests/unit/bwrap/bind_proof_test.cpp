// SPDX-License-Identifier: Apache-2.0
#include "bwrap/bind_proof.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

using Differences = std::vector<std::string>;

Operation bind(const std::string& path) {
  Operation made;
  made.source = HostPath(path);
  made.destination = SandboxPath(path);
  return made;
}

// A project with .git pinned and .git/hooks protected, as the kernel lists it.
class Table {
 public:
  Table() {
    Operation home = bind("/home/ada");
    home.kind = OperationKind::tmpfs;
    Operation project = bind("/home/ada/shop");
    project.kind = OperationKind::bind_project;
    plan.operations = {home, project, bind("/home/ada/shop/.git"), bind("/home/ada/shop/.git/hooks")};
    mount("/home/ada", "0:30", "/");
    mount("/home/ada/shop", "8:1", "/@home/ada/shop");
    mount("/home/ada/shop/.git", "8:1", "/@home/ada/shop/.git");
    mount("/home/ada/shop/.git/hooks", "8:1", "/@home/ada/shop/.git/hooks");
  }
  void mount(const std::string& point, const std::string& device, const std::string& root) {
    mounts.push_back({point, "ext4", false, root, device});
  }
  [[nodiscard]] Differences compare() const { return ExpectedBinds(plan).compare_roots(mounts); }

  Plan plan;
  std::vector<MountEntry> mounts;
};

TEST_SUITE("bind_proof") {
  TEST_CASE("a bind that shows what the tree around it has there is sound") {
    CHECK_EQ(Table().compare(), Differences{});
  }

  TEST_CASE("a bind of another place, or of another file system, is not") {
    Table table;
    table.mounts[3].root = "/@home/ada/.ssh";
    CHECK_EQ(table.compare(),
             Differences{"'/home/ada/shop/.git/hooks' is not what it was when the sandbox was planned"});
    table = Table();
    table.mounts[2].device = "8:2";
    table.mounts[3].device = "8:2";
    CHECK_EQ(table.compare(), Differences{"'/home/ada/shop/.git' is not what it was when the sandbox was planned"});
    table = Table();
    table.mounts[3].root += "//deleted";
    CHECK_EQ(table.compare().size(), 1);
  }

  TEST_CASE("a mount of the host within the project is taken along") {
    Table table;
    table.mounts = {table.mounts[0], table.mounts[1]};
    table.mount("/home/ada/shop/.git", "8:2", "/");
    table.mount("/home/ada/shop/.git", "8:2", "/");
    table.mount("/home/ada/shop/.git/hooks", "8:2", "/hooks");
    CHECK_EQ(table.compare(), Differences{});
    table.mounts.back().root = "/elsewhere";
    CHECK_EQ(table.compare().size(), 1);
  }

  TEST_CASE("what stands in a place of ours has no tree to be held against") {
    Table table;
    table.mounts[1].root = "/anything";
    table.mounts.resize(2);
    CHECK_EQ(table.compare(), Differences{});
  }

  TEST_CASE("a bind of known identity is the file that was looked at") {
    struct stat status {};
    REQUIRE_EQ(::stat("/usr", &status), 0);
    Plan plan;
    plan.operations = {bind("/usr")};
    plan.operations[0].identity = FileIdentity{status.st_dev, status.st_ino};
    CHECK_EQ(compare_identities(::getpid(), plan), Differences{});
    plan.operations[0].destination = SandboxPath("/etc");
    CHECK_EQ(compare_identities(::getpid(), plan),
             Differences{"'/etc' is not what it was when the sandbox was planned"});
    plan.operations[0].destination = SandboxPath("/nowhere");
    CHECK_EQ(compare_identities(::getpid(), plan).size(), 1);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
