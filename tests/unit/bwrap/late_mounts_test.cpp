// SPDX-License-Identifier: Apache-2.0
#include "bwrap/late_mounts.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/argv.h"
#include "bwrap/sandbox_proof.h"

namespace agentctl::bwrap {
namespace {

Operation operation(OperationKind kind, const std::string& destination, Access access = Access::read_only) {
  Operation made;
  made.kind = kind;
  made.source = HostPath(destination);
  made.destination = SandboxPath(destination);
  made.access = access;
  return made;
}

Plan plan_with(std::vector<Operation> operations) {
  Plan plan;
  plan.working_directory = SandboxPath("/p");
  plan.operations = std::move(operations);
  plan.operations.insert(plan.operations.begin(), operation(OperationKind::tmpfs, "/etc", Access::read_write));
  plan.operations.push_back(operation(OperationKind::remount_read_only, "/etc"));
  plan.late_roots = {"/etc"};
  return plan;
}

std::string late_of(const Plan& plan) {
  const LateMounts late(plan);
  std::string all;
  for (const LateTree& tree : late.trees()) all += cat(tree.root, ": ", join(tree.binds, " "), "; ");
  return all;
}

std::string rendered(const Plan& plan) { return join(render_options(plan, {}, LateMounts(plan)).value(), " "); }

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_SUITE("late_mounts") {
  TEST_CASE("what is shown of /etc as it is comes late, and bwrap is given one bind in its place") {
    const Plan plan =
        plan_with({operation(OperationKind::bind, "/etc/hosts"), operation(OperationKind::bind, "/etc/ssl/certs"),
                   operation(OperationKind::bind, "/usr")});
    CHECK_EQ(late_of(plan), "/etc: /etc/hosts /etc/ssl/certs; ");
    const std::string line = rendered(plan);
    CHECK(holds(line, "--tmpfs /etc --ro-bind /etc /etc/.host --ro-bind /usr /usr"));
    CHECK_FALSE(holds(line, "/etc/hosts"));
    CHECK_FALSE(holds(line, "--remount-ro /etc"));
  }

  TEST_CASE("bwrap does what is writable, comes from elsewhere, is a link, or lies outside of /etc") {
    Operation moved = operation(OperationKind::bind, "/etc/moved");
    moved.source = HostPath("/srv/moved");
    Operation link = operation(OperationKind::symlink, "/etc/localtime");
    link.text = "/usr/share/zoneinfo/UTC";
    const Plan plan = plan_with({operation(OperationKind::bind, "/etc/own", Access::read_write), moved, link,
                                 operation(OperationKind::bind, "/etcetera"), operation(OperationKind::bind, "/opt")});
    CHECK(LateMounts(plan).trees().empty());
    CHECK_FALSE(holds(rendered(plan), kLateSource));
  }

  TEST_CASE("a place with another mount above or below it is left to bwrap, which keeps their order") {
    const Plan plan =
        plan_with({operation(OperationKind::bind, "/etc/xdg"), operation(OperationKind::tmpfs, "/etc/xdg/secret"),
                   operation(OperationKind::bind, "/etc/vim", Access::read_write),
                   operation(OperationKind::bind, "/etc/vim/vimrc"), operation(OperationKind::bind, "/etc/xdg-more")});
    CHECK_EQ(late_of(plan), "/etc: /etc/xdg-more; ");
  }

  TEST_CASE("nothing is late in what is bound itself, nor where the host's directory would hide a planned place") {
    Plan bound = plan_with({operation(OperationKind::bind, "/etc/hosts")});
    bound.operations.front() = operation(OperationKind::bind, "/etc");
    CHECK(LateMounts(bound).trees().empty());
    const Plan taken =
        plan_with({operation(OperationKind::bind, "/etc/hosts"), operation(OperationKind::bind, "/etc/.host/x")});
    CHECK(LateMounts(taken).trees().empty());
    Plan nowhere = plan_with({operation(OperationKind::bind, "/etc/hosts")});
    nowhere.late_roots.clear();
    CHECK(LateMounts(nowhere).trees().empty());
  }

  TEST_CASE("a private home is filled late too, stays writable, and everything is sealed after that") {
    Plan plan = plan_with({operation(OperationKind::tmpfs, "/home/u", Access::read_write),
                           operation(OperationKind::bind, "/home/u/.local"),
                           operation(OperationKind::tmpfs, "/home/u/.local/state", Access::read_write),
                           operation(OperationKind::bind, "/home/u/.bashrc"),
                           operation(OperationKind::bind, "/home/u/.config/git"),
                           operation(OperationKind::mask, "/home/u/.config/git/credentials"),
                           operation(OperationKind::remount_read_only, "/")});
    plan.late_roots.emplace_back("/home/u");
    CHECK_EQ(late_of(plan), "/home/u: /home/u/.bashrc /home/u/.config/git; ");
    const std::string line = rendered(plan);
    CHECK(holds(line, "--tmpfs /home/u --ro-bind /home/u /home/u/.host --ro-bind /home/u/.local /home/u/.local"));
    CHECK_FALSE(holds(line, "--remount-ro"));
    CHECK_EQ(join(LateMounts(plan).seals(), " "), "/ /etc");
  }

  TEST_CASE("a device node is sealed from outside alone: bwrap would forbid to open it") {
    Plan plan = plan_with({operation(OperationKind::remount_read_only, "/dev/null")});
    plan.operations[1].is_node = true;
    CHECK_EQ(join(LateMounts(plan).seals(), " "), "/dev/null /etc");
    CHECK(holds(join(render_options(plan, {}).value(), " "), "--tmpfs /etc --remount-ro /etc --chdir"));
  }

  TEST_CASE("masks and the pins around them come late, and bwrap is asked for a place to keep what is empty") {
    Operation file = operation(OperationKind::mask, "/p/a/.env");
    Operation keys = operation(OperationKind::mask, "/p/keys");
    keys.directory = true;
    Plan plan;
    plan.working_directory = SandboxPath("/p");
    plan.operations = {operation(OperationKind::bind, "/p", Access::read_write),
                       operation(OperationKind::pin, "/p/a", Access::read_write),
                       keys,
                       operation(OperationKind::pin, "/p/.git", Access::read_write),
                       file,
                       operation(OperationKind::bind, "/p/.git/hooks"),
                       operation(OperationKind::remount_read_only, "/")};
    const LateMounts late(plan);
    CHECK(late.has_masks());
    std::string order;
    for (const MountInPlace& each : late.in_place()) order += each.path + " ";
    CHECK_EQ(order, "/p/a /p/keys /p/.git /p/a/.env /p/.git/hooks ");
    CHECK(late.in_place().back().kind == InPlace::read_only);
    CHECK(holds(rendered(plan), "--bind /p /p --dir /run/agentctl/.empty"));
    BwrapFds fds;
    fds.copies = {7};
    CHECK(holds(join(render_options(plan, fds).value(), " "),
                "--bind /p /p --bind /p/a /p/a --perms 0500 --size 4096 --tmpfs /p/keys --remount-ro /p/keys --bind "
                "/p/.git /p/.git --perms 0400 --ro-bind-data 7 /p/a/.env --ro-bind"));
  }

  TEST_CASE("what is read-only in a tree of the host's comes late, but for what bwrap mounts something in") {
    Operation elsewhere = operation(OperationKind::bind, "/p/tools");
    elsewhere.source = HostPath("/opt/tools");
    Plan plan;
    plan.working_directory = SandboxPath("/p");
    plan.operations = {operation(OperationKind::bind, "/usr"),
                       operation(OperationKind::tmpfs, "/home/u", Access::read_write),
                       operation(OperationKind::bind, "/home/u/.vimrc"),
                       operation(OperationKind::bind_project, "/p", Access::read_write),
                       operation(OperationKind::bind, "/p/docs"),
                       operation(OperationKind::bind, "/p/held"),
                       operation(OperationKind::tmpfs, "/p/held/own", Access::read_write),
                       elsewhere,
                       operation(OperationKind::bind, "/p/read/write", Access::read_write)};
    const LateMounts late(plan);
    std::string order;
    for (const MountInPlace& each : late.in_place()) order += each.path + " ";
    CHECK_EQ(order, "/p/docs ");
    CHECK(holds(rendered(plan), "--ro-bind /p/held /p/held --tmpfs /p/held/own --ro-bind /opt/tools /p/tools"));
  }

  TEST_CASE("a copy in a tree that is bound comes late, from a place that bwrap makes for it") {
    Plan plan;
    plan.working_directory = SandboxPath("/p");
    plan.operations = {operation(OperationKind::tmpfs, "/home/u", Access::read_write),
                       operation(OperationKind::copy, "/home/u/.claude.json", Access::read_write),
                       operation(OperationKind::bind_project, "/p", Access::read_write),
                       operation(OperationKind::pin, "/p/a", Access::read_write),
                       operation(OperationKind::copy, "/p/a/settings", Access::read_write)};
    const LateMounts late(plan);
    REQUIRE(late.in_place().size() == 2);
    CHECK(late.in_place().back().kind == InPlace::copy);
    CHECK_EQ(late.in_place().back().source, "/run/agentctl/.copies/0");
    BwrapFds fds;
    fds.copies = {7, 8};
    const std::string line = join(render_options(plan, fds, late).value(), " ");
    CHECK(holds(
        line, "--perms 0600 --file 7 /home/u/.claude.json --bind /p /p --perms 0600 --file 8 /run/agentctl/.copies/0"));
    CHECK(holds(join(render_options(plan, fds).value(), " "), "--bind-data 8 /p/a/settings"));
  }

  TEST_CASE("a mask must be a read-only bind of what is empty, of the right type") {
    Plan plan;
    plan.operations = {operation(OperationKind::bind, "/p", Access::read_write),
                       operation(OperationKind::mask, "/p/.env")};
    const std::vector<MountEntry> placed = {{"/", "tmpfs", true, "/", "0:9"},
                                            {"/p", "ext4", false, "/p", "8:1"},
                                            {"/run/agentctl/.empty", "tmpfs", true, "/", "0:5"},
                                            {"/p/.env", "tmpfs", true, "/file", "0:5"}};
    CHECK(ExpectedMounts(plan).compare(placed).empty());
    const auto with = [&](auto change) {
      std::vector<MountEntry> mounts = placed;
      change(mounts);
      return join(ExpectedMounts(plan).compare(mounts), "; ");
    };
    CHECK_EQ(with([](auto& mounts) { mounts.pop_back(); }), "no mount at '/p/.env'");
    CHECK_EQ(with([](auto& mounts) { mounts[3].read_only = false; }), "'/p/.env' is writable");
    CHECK_EQ(with([](auto& mounts) { mounts[3].type = "ext4"; }), "'/p/.env' is ext4, not tmpfs");
    const std::string not_empty = "'/p/.env' is not covered by what is empty";
    CHECK_EQ(with([](auto& mounts) { mounts[3].root = "/directory"; }), not_empty);
    CHECK_EQ(with([](auto& mounts) { mounts[3].device = "0:6"; }), not_empty);
  }

  TEST_CASE("the host's /etc left inside, a bind that is missing and an open /etc are differences from the plan") {
    const Plan plan = plan_with({operation(OperationKind::bind, "/etc/hosts")});
    const std::vector<MountEntry> placed = {
        {"/", "tmpfs", false}, {"/etc", "tmpfs", true}, {"/etc/hosts", "ext4", true}};
    CHECK(ExpectedMounts(plan).compare(placed).empty());
    auto left = placed;
    left.push_back({"/etc/.host", "ext4", true});
    CHECK(ExpectedMounts(plan).compare(left) == std::vector<std::string>{"an unplanned mount at '/etc/.host'"});
    auto missing = placed;
    missing.pop_back();
    CHECK(ExpectedMounts(plan).compare(missing) == std::vector<std::string>{"no mount at '/etc/hosts'"});
    auto open = placed;
    open[1].read_only = false;
    CHECK(ExpectedMounts(plan).compare(open) == std::vector<std::string>{"'/etc' is writable"});
  }
}

}  // namespace
}  // namespace agentctl::bwrap
