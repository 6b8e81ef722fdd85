// SPDX-License-Identifier: Apache-2.0
#include "units/cgroup.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::units {
namespace {

// Directories of plain files in the layout of cgroup file systems.
struct FakeTree {
  test::ScratchDir dir;
  CgroupRoots roots{dir.path() + "/cgroup", dir.path() + "/proc", false};

  void write(const std::string& name, std::string_view text) const { dir.write(name, text); }
};

constexpr const char* kScope = "/app.slice/x.scope";

void fill_v2(const FakeTree& tree) {
  tree.write("cgroup/cgroup.controllers", "cpu memory pids\n");
  tree.write("proc/meminfo", "MemTotal: 1 kB\nSwapTotal:       1024 kB\n");
  const std::string scope = cat("cgroup", kScope, "/");
  tree.write(scope + "cgroup.procs", "12\n34\n");
  tree.write(scope + "inner/cgroup.procs", "56\n");
  tree.write(scope + "cgroup.events", "populated 1\nfrozen 0\n");
  tree.write(scope + "memory.max", "67108864\n");
  tree.write(scope + "memory.high", "max\n");
  tree.write(scope + "memory.swap.max", "0\n");
  tree.write(scope + "pids.max", "77\n");
  tree.write(scope + "cpu.max", "150000 100000\n");
  tree.write(scope + "cpu.weight", "50\n");
  tree.write(scope + "memory.current", "4096\n");
  tree.write(scope + "memory.peak", "8192\n");
  tree.write(scope + "memory.events", "low 0\nhigh 0\nmax 5\noom 2\noom_kill 1\noom_group_kill 0\n");
  tree.write(scope + "cpu.stat", "usage_usec 1234\nuser_usec 1\nthrottled_usec 99\n");
  tree.write(scope + "pids.current", "3\n");
  tree.write(scope + "pids.events", "max 4\n");
  tree.write(scope + "io.stat", "8:0 rbytes=10 wbytes=20 rios=1\n8:16 rbytes=1 wbytes=2 rios=1\n");
}

void fill_v1(const FakeTree& tree, const std::string& memory_path) {
  tree.write("proc/meminfo", "MemTotal: 1 kB\nSwapTotal:       1024 kB\n");
  tree.write(cat("cgroup/unified", kScope, "/cgroup.procs"), "12\n");
  tree.write(cat("cgroup/systemd", kScope, "/cgroup.procs"), "12\n");
  tree.write(cat("cgroup/memory", memory_path, "/memory.limit_in_bytes"), "67108864\n");
  tree.write(cat("cgroup/memory", memory_path, "/memory.memsw.limit_in_bytes"), "9223372036854771712\n");
  tree.write(cat("cgroup/pids", kScope, "/pids.max"), "77\n");
  tree.write(cat("cgroup/cpu", kScope, "/cpu.cfs_quota_us"), "150000\n");
  tree.write(cat("cgroup/cpu", kScope, "/cpu.cfs_period_us"), "100000\n");
  tree.write(cat("cgroup/cpu", kScope, "/cpu.shares"), "337\n");
}

}  // namespace

TEST_SUITE_BEGIN("cgroup");

TEST_CASE("limits, usage and members of a v2 cgroup are read") {
  const FakeTree tree;
  fill_v2(tree);
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  CHECK(cgroup->version() == 2);
  CHECK(cgroup->directory() == tree.roots.cgroups + kScope);
  CHECK(cgroup->id() != 0);
  const EffectiveLimits limits = cgroup->read_limits();
  CHECK(limits.memory_max == 64U << 20);
  CHECK(limits.memory_high == kInfinity);
  CHECK(limits.memory_swap_max == 0U);
  CHECK(limits.tasks_max == 77U);
  CHECK(limits.cpu_quota_per_sec_usec == 1'500'000U);
  CHECK(limits.cpu_weight == 50U);
  CHECK_FALSE(limits.io_weight.has_value());
  const CgroupUsage usage = cgroup->read_usage();
  CHECK(usage.memory == 4096U);
  CHECK(usage.memory_peak == 8192U);
  CHECK(usage.cpu_usec == 1234U);
  CHECK(usage.throttled_usec == 99U);
  CHECK(usage.io_read_bytes == 11U);
  CHECK(usage.io_write_bytes == 22U);
  CHECK(usage.oom_kills == 1);
  CHECK(usage.memory_max_hits == 5);
  CHECK(usage.tasks_max_hits == 4);
  CHECK(cgroup->pids() == std::vector<pid_t>{12, 34, 56});
  CHECK(cgroup->populated());
  CHECK_FALSE(cgroup->frozen());
}

TEST_CASE("a controller that is not there leaves its limits absent") {
  const FakeTree tree;
  fill_v2(tree);
  ::unlink((tree.roots.cgroups + kScope + "/cpu.max").c_str());
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  CHECK_FALSE(cgroup->read_limits().cpu_quota_per_sec_usec.has_value());
}

TEST_CASE("v1 limits come in systemd's units") {
  const FakeTree tree;
  fill_v1(tree, kScope);
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  CHECK(cgroup->version() == 1);
  const EffectiveLimits limits = cgroup->read_limits();
  CHECK(limits.memory_max == 64U << 20);
  CHECK(limits.memory_swap_max == kInfinity);
  CHECK(limits.cpu_quota_per_sec_usec == 1'500'000U);
  CHECK(limits.cpu_weight == 33U);
  CHECK(limits.tasks_max == 77U);
}

TEST_CASE("on a v1 machine without swap the swap limit is nothing") {
  const FakeTree tree;
  fill_v1(tree, kScope);
  tree.write("proc/meminfo", "MemTotal: 1 kB\nSwapTotal:          0 kB\n");
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  CHECK(cgroup->read_limits().memory_swap_max == 0U);
}

TEST_CASE("a v1 quota of -1 is infinite") {
  const FakeTree tree;
  fill_v1(tree, kScope);
  tree.write(cat("cgroup/cpu", kScope, "/cpu.cfs_quota_us"), "-1\n");
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  CHECK(cgroup->read_limits().cpu_quota_per_sec_usec == kInfinity);
}

TEST_CASE("a private subtree elsewhere in a v1 hierarchy is found through a member, a cgroup of others is not") {
  const std::string scope = "/agentctl-private-1a2b3c4d/x.scope";
  for (const bool member_inside : {true, false}) {
    const FakeTree tree;
    tree.write("proc/meminfo", "SwapTotal: 0 kB\n");
    tree.write(cat("cgroup/unified", scope, "/cgroup.procs"), "12\n");
    tree.write(cat("cgroup/memory/outer", scope, "/memory.limit_in_bytes"), "4096\n");
    tree.write("cgroup/memory/outer/memory.limit_in_bytes", "8192\n");
    tree.write("proc/12/cgroup", cat("4:memory:/outer", member_inside ? scope : "", "\n0::", scope, "\n"));
    const auto cgroup = Cgroup::open(scope, tree.roots);
    REQUIRE(cgroup.has_value());
    CHECK(cgroup->read_limits().memory_max.has_value() == member_inside);
  }
}

TEST_CASE("a cgroup that is not there, and paths out of our view, are refused") {
  const FakeTree tree;
  fill_v2(tree);
  CHECK_FALSE(Cgroup::open("/app.slice/other.scope", tree.roots).has_value());
  CHECK_FALSE(Cgroup::open("/../x.scope", tree.roots).has_value());
  CHECK_FALSE(Cgroup::open("app.slice", tree.roots).has_value());
  CHECK_FALSE(Cgroup::open("/app.slice/x.scope (deleted)", tree.roots).has_value());
}

TEST_CASE("a directory that is not of a cgroup file system is refused") {
  FakeTree tree;
  fill_v2(tree);
  tree.roots.kernel_only = true;
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE_FALSE(cgroup.has_value());
  CHECK(cgroup.error().kind == ErrorKind::environment);
}

TEST_CASE("thawing writes the file that freezes") {
  const FakeTree tree;
  fill_v2(tree);
  tree.write(cat("cgroup", kScope, "/cgroup.freeze"), "1");
  tree.write(cat("cgroup", kScope, "/cgroup.events"), "populated 1\nfrozen 1\n");
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  CHECK(cgroup->frozen());
  CHECK(cgroup->thaw().has_value());
}

TEST_CASE("freezing writes the file that thaws, and says so") {
  const FakeTree tree;
  fill_v2(tree);
  tree.write(cat("cgroup", kScope, "/cgroup.freeze"), "0");
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  CHECK_FALSE(cgroup->freezes());
  const auto frozen = cgroup->freeze();
  REQUIRE(frozen.has_value());
  CHECK(*frozen);
  CHECK(cgroup->freezes());
}

TEST_CASE("the v1 freezer, which would hold SIGKILL back, is never used to freeze") {
  const FakeTree tree;
  fill_v1(tree, kScope);
  tree.write(cat("cgroup/freezer", kScope, "/freezer.state"), "THAWED");
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  const auto frozen = cgroup->freeze();
  REQUIRE(frozen.has_value());
  CHECK_FALSE(*frozen);
  CHECK_FALSE(cgroup->frozen());
}

TEST_CASE("membership is proven by the directory itself, in every hierarchy that limits") {
  const FakeTree tree;
  fill_v1(tree, kScope);
  const std::string here = cat("9:name=systemd:", kScope, "\n8:pids:", kScope, "\n0::", kScope, "\n");
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  tree.write("proc/12/cgroup", cat(here, "4:memory:", kScope, "\n1:cpu:", kScope, "\n"));
  CHECK(prove_membership(12, *cgroup, true).has_value());
  tree.write("proc/13/cgroup", cat(here, "4:memory:", kScope, "\n1:cpu:/\n"));
  CHECK(prove_membership(13, *cgroup, false).has_value());
  CHECK_FALSE(prove_membership(13, *cgroup, true).has_value());
  tree.write("proc/14/cgroup", cat(here, "4:memory:/\n1:cpu:", kScope, "\n"));
  const auto outside = prove_membership(14, *cgroup, true);
  REQUIRE_FALSE(outside.has_value());
  CHECK(outside.error().message.find("in memory it is in '/'") != std::string::npos);
  CHECK_FALSE(prove_membership(15, *cgroup, true).has_value());
}

TEST_CASE("a process that was moved out of a v2 scope is found out") {
  const FakeTree tree;
  fill_v2(tree);
  const auto cgroup = Cgroup::open(kScope, tree.roots);
  REQUIRE(cgroup.has_value());
  tree.write("proc/12/cgroup", cat("0::", kScope, "\n"));
  CHECK(prove_membership(12, *cgroup, true).has_value());
  tree.write("proc/12/cgroup", "0::/app.slice\n");
  CHECK_FALSE(prove_membership(12, *cgroup, true).has_value());
}

TEST_SUITE_END();

}  // namespace agentctl::units
