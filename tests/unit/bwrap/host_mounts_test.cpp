// SPDX-License-Identifier: Apache-2.0
#include "bwrap/host_mounts.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/plan_builder.h"
#include "tests/support/scratch_dir.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

std::string line(const std::string& place, const std::string& type) {
  return cat("36 35 0:9 / ", place, " rw,relatime shared:1 - ", type, " source rw\n");
}

Plan plan_with(const std::vector<SilentMount>& silent, const policy::Policy& policy = sample_policy()) {
  SampleMachine machine = SampleMachine::debian();
  machine.directory("/home/ada/shop/share/a").directory("/opt/share").directory("/home/ada/nas");
  HostFacts facts = machine.facts(policy);
  facts.silent_mounts = silent;
  return build_plan(policy, facts).value();
}

TEST_SUITE("host_mounts") {
  TEST_CASE("FS-12: a machine of local file systems has none, and nothing is asked") {
    const HostMounts mounts(line("/", "ext4") + line("/home", "btrfs") + line("/tmp", "tmpfs") +
                            line("/nfs\\040-\\040nfs", "xfs"));
    CHECK_FALSE(mounts.has_remote());
    CHECK(mounts.has_below("/"));
    CHECK_FALSE(mounts.has_below("/home"));
    CHECK_FALSE(HostMounts("").has_remote());
    CHECK_FALSE(HostMounts("half a line - ").has_remote());
  }

  TEST_CASE("FS-12: every kind that depends on somebody else counts") {
    for (const char* type :
         {"nfs", "nfs4", "cifs", "9p", "fuse", "fuse.sshfs", "fuseblk", "autofs", "ceph", "virtiofs"}) {
      CHECK(HostMounts(line("/", "ext4") + line("/mnt/x", type)).has_remote());
    }
    CHECK_FALSE(HostMounts(line("/sys/fs/fuse/connections", "fusectl")).has_remote());
  }

  TEST_CASE("FS-12: an automount point that is in use is what is mounted on it") {
    CHECK_FALSE(HostMounts(line("/boot", "autofs") + line("/boot", "vfat")).has_remote());
    const HostMounts used(line("/nas", "autofs") + line("/nas", "nfs4"));
    CHECK_FALSE(used.is_idle_automount("/nas"));
    const HostMounts idle(line("/nas", "autofs"));
    CHECK(idle.is_idle_automount("/nas"));
    CHECK_FALSE(idle.is_idle_automount("/nas/a"));
  }

  TEST_CASE("FS-12: what answers is in nobody's way, an error being an answer") {
    const test::ScratchDir scratch;
    scratch.write("share/file", "x");
    HostMounts mounts(line(scratch.path() + "/share", "nfs4") + line(scratch.path() + "/gone", "cifs"));
    CHECK_FALSE(mounts.find_silent(scratch.path() + "/share/file"));
    CHECK_FALSE(mounts.find_silent(scratch.path() + "/gone/file"));
    CHECK(mounts.silent_below({scratch.path()}).empty());
    PathResolver resolver(&mounts);
    CHECK(resolver.resolve(scratch.path() + "/share/file").kind == PathKind::file);
  }

  TEST_CASE("FS-12: automount points below what is shown are told, the outermost only, and those beside it not") {
    HostMounts mounts(line("/p/net", "autofs") + line("/p/net/a", "autofs") + line("/p/net-b", "autofs") +
                      line("/other", "autofs") + line("/p", "autofs"));
    std::vector<std::string> found;
    for (const SilentMount& mount : mounts.silent_below({"/p"})) found.push_back(mount.path);
    CHECK(found == std::vector<std::string>{"/p/net", "/p/net-b"});
  }

  TEST_CASE("FS-12: a mount below a bind that does not answer is covered, and told") {
    const Plan plan = plan_with({{"/home/ada/shop/share", "nfs4"}, {"/opt/share", "autofs"}});
    CHECK(plan.hidden == std::vector<std::string>{"/opt/share", "/home/ada/shop/share"});
    const auto tells = [&](const std::string& text) {
      return std::count(plan.warnings.begin(), plan.warnings.end(), text) == 1;
    };
    CHECK(tells("files: '/home/ada/shop/share' (nfs4) does not answer: the session finds an empty directory there"));
    CHECK(tells(
        "files: nothing has used the automount point '/opt/share' yet: the session finds an empty directory there"));
  }

  TEST_CASE("FS-12: what is not shown anyway is not told") {
    const Plan plan = plan_with({{"/home/ada/nas", "nfs4"}, {"/srv/share", "nfs4"}});
    CHECK(plan.hidden.empty());
    CHECK(plan.warnings == std::vector<std::string>{"network: shared with the host"});
  }

  TEST_CASE("FS-12: what a policy shows by its own name is not covered") {
    policy::Policy policy = sample_policy();
    policy.files.read_only = entries({"/home/ada/nas"});
    CHECK(plan_with({{"/home/ada/nas", "autofs"}}, policy).hidden.empty());
  }
}

}  // namespace
}  // namespace agentctl::bwrap
