// SPDX-License-Identifier: Apache-2.0
#include "bwrap/host_trees.h"

#include <doctest/doctest.h>

using namespace agentctl::bwrap;

namespace {

Operation operation(OperationKind kind, const std::string& from, const std::string& at) {
  Operation made;
  made.kind = kind;
  made.source = HostPath(from);
  made.destination = SandboxPath(at);
  return made;
}
Operation operation(OperationKind kind, const std::string& at) { return operation(kind, at, at); }

Plan project_plan() {
  Plan plan;
  plan.operations = {operation(OperationKind::tmpfs, "/home/u"),
                     operation(OperationKind::bind_project, "/home/u/p"),
                     operation(OperationKind::pin, "/home/u/p/.git"),
                     operation(OperationKind::bind, "/home/u/p/.git/config"),
                     operation(OperationKind::mask, "/home/u/p/secrets"),
                     operation(OperationKind::copy, "/home/u/p/settings"),
                     operation(OperationKind::bind, "/state/home", "/home/u/.cache")};
  return plan;
}

}  // namespace

TEST_CASE("what the host makes in the project is seen inside, also below what is pinned") {
  const HostTrees trees(project_plan());
  CHECK(trees.show_new("/home/u/p/.env"));
  CHECK(trees.show_new("/home/u/p/deep/er/.env"));
  CHECK(trees.show_new("/home/u/p/.git/secret"));
  CHECK(trees.show_directory("/home/u/p"));
  CHECK(trees.show_directory("/home/u/p/.git/refs"));
}

TEST_CASE("what the plan puts somewhere itself is nothing new there") {
  const HostTrees trees(project_plan());
  for (const char* path : {"/home/u/p/.git/config", "/home/u/p/secrets", "/home/u/p/settings", "/home/u/p"}) {
    CHECK_FALSE(trees.show_new(path));
  }
}

TEST_CASE("what the host makes in a home that is not shown, in a masked directory or elsewhere is not seen inside") {
  const HostTrees trees(project_plan());
  CHECK_FALSE(trees.show_directory("/home/u"));
  CHECK_FALSE(trees.show_new("/home/u/.env"));
  CHECK(trees.are_below("/home/u"));
  CHECK(trees.are_below("/"));
  CHECK_FALSE(trees.are_below("/home/u/.cache"));
  CHECK_FALSE(trees.are_below("/home/u/p/.git/config"));
  CHECK_FALSE(trees.show_new("/home/u/p/secrets/key"));
  CHECK_FALSE(trees.show_new("/home/u/.cache/key"));
  CHECK_FALSE(trees.show_directory("/"));
  CHECK_FALSE(trees.show_new("/"));
}

TEST_CASE("the directories above a path are told up to what the plan knows of, the root to the outermost tree") {
  const HostTrees trees(project_plan());
  CHECK(trees.directories_above("/home/u/p/a/b/.env") == std::vector<std::string>{"/home/u/p/a/b", "/home/u/p/a"});
  CHECK(trees.directories_above("/home/u/p/.git/refs/x") == std::vector<std::string>{"/home/u/p/.git/refs"});
  CHECK(trees.directories_above("/home/u/p/.env").empty());
  CHECK(trees.directories_above("/home/u/.env").empty());
  CHECK(trees.root_of("/home/u/p/.git/refs/x") == "/home/u/p");
}
