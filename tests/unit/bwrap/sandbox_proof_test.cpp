// SPDX-License-Identifier: Apache-2.0
#include "bwrap/sandbox_proof.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

using Differences = std::vector<std::string>;

Operation operation(OperationKind kind, const std::string& destination, Access access = Access::read_only) {
  Operation made;
  made.kind = kind;
  made.source = HostPath(destination);
  made.destination = SandboxPath(destination);
  made.access = access;
  return made;
}

Plan sample_plan() {
  Plan plan;
  plan.operations = {operation(OperationKind::bind, "/usr"),
                     operation(OperationKind::proc, "/proc"),
                     operation(OperationKind::dev, "/dev"),
                     operation(OperationKind::tmpfs, "/tmp", Access::read_write),
                     operation(OperationKind::bind_project, "/home/ada/shop", Access::read_write),
                     operation(OperationKind::remount_read_only, "/")};
  return plan;
}

std::vector<MountEntry> sample_mounts() {
  return {{"/", "tmpfs", true},
          {"/usr", "ext4", true},
          {"/proc", "proc", false},
          {"/dev", "tmpfs", false},
          {"/dev/pts", "devpts", false},
          {"/tmp", "tmpfs", false},
          {"/home/ada/shop", "ext4", false}};
}

Differences differences_of(const std::vector<MountEntry>& mounts) {
  const Plan plan = sample_plan();
  return ExpectedMounts(plan).compare(mounts);
}

MountEntry& mount_at(std::vector<MountEntry>& mounts, const std::string& point) {
  for (MountEntry& mount : mounts) {
    if (mount.mount_point == point) return mount;
  }
  FAIL("no mount at ", point);
  return mounts.front();
}

constexpr const char* kStatus =
    "Name:\tagentctl-stage\nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
    "CapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t2\n";

std::string status_with(const std::string& line, const std::string& instead) {
  std::string text = kStatus;
  return text.replace(text.find(line), line.size(), instead);
}

}  // namespace

TEST_SUITE("sandbox_proof") {
  TEST_CASE("a line of mountinfo gives point, type and whether it is read-only") {
    const auto mounts = parse_mountinfo(
        "36 35 98:0 /root /mnt rw,noatime shared:1 master:2 - ext3 /dev/root rw,errors=continue\n"
        "37 35 0:22 / /ro ro,nosuid - tmpfs tmpfs rw,size=4k\n"
        "38 35 0:23 / /super rw - ext4 /dev/sda1 ro\n");
    REQUIRE(mounts.size() == 3);
    CHECK(mounts[0].mount_point == "/mnt");
    CHECK(mounts[0].type == "ext3");
    CHECK_FALSE(mounts[0].read_only);
    CHECK(mounts[1].read_only);
    CHECK(mounts[2].read_only);
  }

  TEST_CASE("blanks, newlines and backslashes in a mount point are undone from octal") {
    const auto mounts = parse_mountinfo("1 2 0:1 / /a\\040b\\011c\\012d\\134e rw - tmpfs none rw\n");
    REQUIRE(mounts.size() == 1);
    CHECK(mounts[0].mount_point == "/a b\tc\nd\\e");
  }

  TEST_CASE("an option that only begins with ro is not read-only") {
    const auto mounts = parse_mountinfo("1 2 0:1 / /a rootcontext=x,rw - tmpfs none rw,roll=1\n");
    REQUIRE(mounts.size() == 1);
    CHECK_FALSE(mounts[0].read_only);
  }

  TEST_CASE("lines that are none give no mount") {
    CHECK(parse_mountinfo("").empty());
    CHECK(parse_mountinfo("\n\nhalf a line\n1 2 0:1 / /a rw\n").empty());
  }

  TEST_CASE("a mount that takes part in what others mount is told") {
    const auto mounts = parse_mountinfo(
        "1 2 0:1 / /a rw,nosuid master:3 - tmpfs none rw\n1 2 0:1 / /b rw shared:5 master:3 - tmpfs none rw\n"
        "1 2 0:1 / /c rw,nosuid - tmpfs none rw\n1 2 0:1 / /d rw unbindable - tmpfs none rw\n");
    CHECK(compare_propagation(mounts) ==
          std::vector<std::string>{"'/a' shares mounts with others", "'/b' shares mounts with others"});
  }

  TEST_CASE("the planned table has no difference") { CHECK(differences_of(sample_mounts()) == Differences{}); }

  TEST_CASE("a planned mount that is missing is a difference") {
    auto mounts = sample_mounts();
    mounts.erase(mounts.begin() + 5);
    CHECK(differences_of(mounts) == Differences{"no mount at '/tmp'"});
  }

  TEST_CASE("a mount that is writable where read-only was planned is a difference") {
    auto mounts = sample_mounts();
    mount_at(mounts, "/usr").read_only = false;
    mount_at(mounts, "/").read_only = false;
    CHECK(differences_of(mounts) == Differences{"'/' is writable", "'/usr' is writable"});
  }

  TEST_CASE("a mount of another type is a difference") {
    auto mounts = sample_mounts();
    mount_at(mounts, "/tmp").type = "ext4";
    mount_at(mounts, "/proc").type = "tmpfs";
    CHECK(differences_of(mounts) == Differences{"'/proc' is tmpfs, not proc", "'/tmp' is ext4, not tmpfs"});
  }

  TEST_CASE("a mount that nobody planned is a difference, and its name is shown printable") {
    auto mounts = sample_mounts();
    mounts.push_back({"/home/ada/\x1b[1m", "ext4", false});
    mounts.push_back({"/tmp/below", "ext4", false});
    mounts.push_back({"/usrlocal", "ext4", true});
    const Differences differences = differences_of(mounts);
    REQUIRE(differences.size() == 3);
    for (const std::string& difference : differences) {
      CHECK(difference.starts_with("an unplanned mount"));
      CHECK(difference.find('\x1b') == std::string::npos);
    }
  }

  TEST_CASE("mounts below a bound tree come along") {
    auto mounts = sample_mounts();
    mounts.push_back({"/usr/local/nfs", "nfs4", true});
    CHECK(differences_of(mounts) == Differences{});
  }

  TEST_CASE("of two mounts at one place the last one counts") {
    auto mounts = sample_mounts();
    mounts.push_back({"/usr", "ext4", false});
    CHECK(differences_of(mounts) == Differences{"'/usr' is writable"});
  }

  TEST_CASE("the wanted status has no difference") { CHECK(compare_status(kStatus, 2) == Differences{}); }

  TEST_CASE("a capability in any set is a difference") {
    for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
      const std::string line = cat(set, ":\t0000000000000000");
      CHECK(compare_status(status_with(line, cat(set, ":\t0000000000200000")), 2).size() == 1);
    }
  }

  TEST_CASE("a filter that is missing, or one more than ours, is a difference") {
    CHECK(compare_status(status_with("filters:\t2", "filters:\t1"), 2).size() == 1);
    CHECK(compare_status(status_with("filters:\t2", "filters:\t3"), 2).size() == 1);
    CHECK(compare_status(status_with("Seccomp:\t2", "Seccomp:\t0"), 2).size() == 1);
    CHECK(compare_status(status_with("NoNewPrivs:\t1", "NoNewPrivs:\t0"), 2).size() == 1);
  }

  TEST_CASE("a status that does not tell is not believed") { CHECK(compare_status("", 2).size() == 8); }

  TEST_CASE("a process that shares our namespaces is not in a sandbox") {
    const auto proven = prove_namespaces(::getpid(), sample_plan());
    REQUIRE_FALSE(proven.has_value());
    CHECK(proven.error().kind == ErrorKind::environment);
    for (const char* name : {"user", "pid", "mnt", "net"}) {
      CHECK(proven.error().message.find(cat("its ", name, " namespace is ours")) != std::string::npos);
    }
  }

  TEST_CASE("a process that is gone is not in a sandbox") {
    CHECK_FALSE(prove_namespaces(0x7ffffff0, sample_plan()).has_value());
    const Plan plan = sample_plan();
    CHECK_FALSE(PlannedWalls(plan).prove(0x7ffffff0, 2).has_value());
  }
}

}  // namespace agentctl::bwrap
