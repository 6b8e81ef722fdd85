// SPDX-License-Identifier: Apache-2.0
#include "bwrap/guarded_mount.h"

#include <doctest/doctest.h>

#include "bwrap/sandbox_view.h"

using namespace agentctl::bwrap;

namespace {

Operation operation(OperationKind kind, const std::string& at, Access access = Access::read_only) {
  Operation made;
  made.kind = kind;
  made.source = HostPath(at);
  made.destination = SandboxPath(at);
  made.access = access;
  made.origin = "rule";
  return made;
}

Plan project_plan(std::vector<Operation> inside) {
  Plan plan;
  plan.operations = {operation(OperationKind::tmpfs, "/home/u", Access::read_write),
                     operation(OperationKind::bind_project, "/home/u/p", Access::read_write)};
  plan.operations.insert(plan.operations.end(), inside.begin(), inside.end());
  return plan;
}

GuardedMount guarded(const std::string& path, Guard guard) { return {path, "/home/u/p", guard, "rule"}; }

constexpr auto kWritable = Access::read_write;

}  // namespace

TEST_CASE("masks, read-only binds and pins in the project are guarded, shallow ones first") {
  const Plan plan = project_plan({operation(OperationKind::mask, "/home/u/p/.env"),
                                  operation(OperationKind::bind, "/home/u/p/.git/config"),
                                  operation(OperationKind::bind, "/home/u/p/.git", kWritable)});
  CHECK(find_guarded_mounts(plan) == std::vector<GuardedMount>{guarded("/home/u/p/.env", Guard::mask),
                                                               guarded("/home/u/p/.git", Guard::pin),
                                                               guarded("/home/u/p/.git/config", Guard::read_only)});
}

TEST_CASE("a tmpfs is a mask only when it is sealed: others give something") {
  Plan plan = project_plan({operation(OperationKind::tmpfs, "/home/u/p/secrets", kWritable)});
  CHECK(find_guarded_mounts(plan).empty());
  plan.operations.push_back(operation(OperationKind::remount_read_only, "/home/u/p/secrets"));
  CHECK(find_guarded_mounts(plan) == std::vector<GuardedMount>{guarded("/home/u/p/secrets", Guard::mask)});
}

TEST_CASE("what stands in a directory of the sandbox's own cannot be undone by the host") {
  Plan plan;
  plan.operations = {operation(OperationKind::tmpfs, "/home/u", kWritable),
                     operation(OperationKind::bind, "/home/u/.gitconfig"),
                     operation(OperationKind::mask, "/home/u/.netrc")};
  CHECK(find_guarded_mounts(plan).empty());
}

TEST_CASE("a read-only tree loses nothing but what it hides") {
  Plan plan;
  plan.operations = {operation(OperationKind::bind, "/home/u"), operation(OperationKind::bind, "/home/u/.local"),
                     operation(OperationKind::bind, "/home/u/p", kWritable),
                     operation(OperationKind::mask, "/home/u/p/.env"),
                     operation(OperationKind::mask, "/home/u/.netrc")};
  CHECK(find_guarded_mounts(plan) == std::vector<GuardedMount>{{"/home/u/.netrc", "/home/u", Guard::mask, "rule"},
                                                               {"/home/u/p/.env", "/home/u", Guard::mask, "rule"}});
}

TEST_CASE("every directory from the host's tree down to a guarded mount is watched, each once") {
  const std::vector<GuardedMount> mounts = {guarded("/home/u/p/.env", Guard::mask),
                                            guarded("/home/u/p/a/b/key", Guard::mask),
                                            guarded("/home/u/p/a/c/key", Guard::mask)};
  CHECK(directories_of(mounts) ==
        std::vector<std::string>{"/home/u/p", "/home/u/p/a", "/home/u/p/a/b", "/home/u/p/a/c"});
}

TEST_CASE("what appears concerns a mount when it is its place or a directory above, and nothing else") {
  const GuardedMount config = guarded("/home/u/p/.git/config", Guard::read_only);
  CHECK(concerns("/home/u/p/.git/config", config));
  CHECK(concerns("/home/u/p/.git", config));
  CHECK_FALSE(concerns("/home/u/p/.git/config.lock", config));
  CHECK_FALSE(concerns("/home/u/p/.gi", config));
  CHECK_FALSE(concerns("/home/u/p/.git/config/x", config));
}

TEST_CASE("a mask is in place only as an empty read-only mount of something that is not the host's") {
  const Seen mask{.mount_point = true, .read_only = true, .foreign = true, .empty = true};
  CHECK(is_in_place(Guard::mask, mask));
  for (bool Seen::*part : {&Seen::mount_point, &Seen::read_only, &Seen::foreign, &Seen::empty}) {
    Seen other = mask;
    other.*part = false;
    CHECK_FALSE(is_in_place(Guard::mask, other));
  }
}

TEST_CASE("a protected file is in place as a read-only mount, a pin as any mount") {
  CHECK(is_in_place(Guard::read_only, {.mount_point = true, .read_only = true}));
  CHECK_FALSE(is_in_place(Guard::read_only, {.mount_point = true}));
  CHECK_FALSE(is_in_place(Guard::read_only, {.read_only = true}));
  CHECK(is_in_place(Guard::pin, {.mount_point = true}));
  CHECK_FALSE(is_in_place(Guard::pin, {.read_only = true}));
}

TEST_CASE("a hidden name is guarded where the host can make something, and where no mount covers it") {
  Plan plan = project_plan({operation(OperationKind::mask, "/home/u/p/secrets")});
  plan.hidden_names = {{"/home/u/p/link", "real", "rule"},
                       {"/home/u/p/secrets", {}, "rule"},
                       {"/home/u/p/secrets/key", {}, "rule"},
                       {"/home/u/.netrc", {}, "rule"}};
  const std::vector<GuardedMount> found = find_guarded_mounts(plan);
  REQUIRE_EQ(found.size(), 2);
  CHECK(found[0] == guarded("/home/u/p/secrets", Guard::mask));
  CHECK(found[1] == GuardedMount{"/home/u/p/link", "/home/u/p", Guard::name, "rule", "real"});
}

TEST_CASE("a copy in a tree of the host's is guarded, and in place as a mount that is not the host's") {
  const Plan plan = project_plan({operation(OperationKind::copy, "/home/u/p/settings.json", kWritable)});
  CHECK(find_guarded_mounts(plan) == std::vector<GuardedMount>{guarded("/home/u/p/settings.json", Guard::copy)});
  CHECK(is_in_place(Guard::copy, {.mount_point = true, .foreign = true}));
  CHECK_FALSE(is_in_place(Guard::copy, {.mount_point = true}));
  CHECK_FALSE(is_in_place(Guard::copy, {.foreign = true}));
}
