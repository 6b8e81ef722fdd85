// SPDX-License-Identifier: Apache-2.0
#include "bwrap/argv.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

Operation operation(OperationKind kind, const std::string& destination) {
  Operation made;
  made.kind = kind;
  made.source = HostPath(destination);
  made.destination = SandboxPath(destination);
  return made;
}

Plan plan_with(std::vector<Operation> operations) {
  Plan plan;
  plan.working_directory = SandboxPath("/p");
  plan.operations = std::move(operations);
  return plan;
}

std::string render(const Plan& plan, const BwrapFds& fds = {}) {
  const Result<std::vector<std::string>> options = render_options(plan, fds);
  return options ? join(*options, " ") : cat("error: ", options.error().message);
}

bool has(const std::string& line, const std::string& words) {
  return cat(" ", line, " ").find(cat(" ", words, " ")) != std::string::npos;
}

void refuses_destination(const std::string& path) {
  const Result<std::vector<std::string>> options =
      render_options(plan_with({operation(OperationKind::tmpfs, path)}), {});
  INFO("path ", printable(path));
  REQUIRE_FALSE(options.has_value());
  CHECK(options.error().kind == ErrorKind::internal);
}

TEST_SUITE("argv") {
  TEST_CASE("every namespace is asked for in its hard form, and neither a new session nor a variable") {
    const std::string line = render(plan_with({}));
    for (const char* option : {"--unshare-user", "--disable-userns", "--assert-userns-disabled", "--unshare-pid",
                               "--unshare-ipc", "--unshare-uts", "--unshare-cgroup", "--unshare-net",
                               "--die-with-parent", "--cap-drop ALL", "--hostname agentctl"}) {
      CHECK_MESSAGE(has(line, option), option);
    }
    CHECK(line.find("-try") == std::string::npos);
    CHECK(line.find("--new-session") == std::string::npos);
    CHECK(line.find("--setenv") == std::string::npos);
  }

  TEST_CASE("the network is shared only when the plan says so") {
    Plan plan = plan_with({});
    plan.network = policy::NetworkMode::host;
    CHECK_FALSE(has(render(plan), "--unshare-net"));
  }

  TEST_CASE("descriptors that are not given leave no option behind") {
    const std::string line = render(plan_with({}));
    for (const char* option : {"--block-fd", "--json-status-fd", "--add-seccomp-fd"}) CHECK_FALSE(has(line, option));
    BwrapFds fds;
    fds.block = 5;
    fds.status = 6;
    fds.seccomp = {7, 8};
    CHECK(has(render(plan_with({}), fds), "--add-seccomp-fd 7 --add-seccomp-fd 8 --json-status-fd 6 --block-fd 5"));
  }

  TEST_CASE("the project is bound by descriptor where bwrap can, else by path") {
    Operation project = operation(OperationKind::bind_project, "/p");
    project.access = Access::read_write;
    Plan plan = plan_with({project});
    BwrapFds fds;
    fds.project = 9;
    CHECK(has(render(plan, fds), "--bind /p /p"));
    plan.has_bind_fd = true;
    CHECK(has(render(plan, fds), "--bind-fd 9 /p"));
    plan.operations[0].access = Access::read_only;
    CHECK(has(render(plan, fds), "--ro-bind-fd 9 /p"));
  }

  TEST_CASE("the stage is bound or copied, never writable") {
    Plan plan = plan_with({operation(OperationKind::bind_stage, "/run/stage")});
    BwrapFds fds;
    fds.stage = 4;
    CHECK(has(render(plan, fds), "--perms 0555 --ro-bind-data 4 /run/stage"));
    plan.has_bind_fd = true;
    CHECK(has(render(plan, fds), "--ro-bind-fd 4 /run/stage"));
  }

  TEST_CASE("sizes and modes stand before the operation that they are for") {
    Operation fresh = operation(OperationKind::tmpfs, "/tmp");
    fresh.size = 4096;
    fresh.mode = 01777;
    CHECK(has(render(plan_with({fresh})), "--perms 1777 --size 4096 --tmpfs /tmp"));
  }

  TEST_CASE("a copy is a file of its own in our tmpfs and covers the file in a bound tree") {
    BwrapFds fds;
    fds.copies = {3, 4};
    const Operation text = operation(OperationKind::data, "/t/text");
    CHECK(has(
        render(plan_with({operation(OperationKind::tmpfs, "/t"), operation(OperationKind::copy, "/t/f"), text}), fds),
        "--perms 0600 --file 3 /t/f --perms 0444 --file 4 /t/text"));
    CHECK(has(render(plan_with({operation(OperationKind::bind, "/t"), operation(OperationKind::copy, "/t/f")}), fds),
              "--perms 0600 --bind-data 3 /t/f"));
    CHECK_EQ(render(plan_with({operation(OperationKind::bind, "/t"), text}), fds),
             "error: cannot render the plan: no place of ours for '/t/text'");
  }

  TEST_CASE("a copy without a descriptor is refused") {
    CHECK_EQ(render(plan_with({operation(OperationKind::copy, "/f")})),
             "error: cannot render the plan: no descriptor for '/f'");
  }

  TEST_CASE("a path that could be read as something else is refused") {
    refuses_destination("");
    refuses_destination("--bind");
    refuses_destination("relative");
    refuses_destination("/a/../b");
    refuses_destination("/a//b");
    refuses_destination("/a/");
    refuses_destination("/a/.");
    refuses_destination(std::string("/a\0--bind", 9));
  }

  TEST_CASE("a link text with a NUL byte and an empty one are refused") {
    Operation link = operation(OperationKind::symlink, "/l");
    CHECK(render(plan_with({link})).starts_with("error: "));
    link.text = std::string("a\0--bind", 8);
    CHECK(render(plan_with({link})).starts_with("error: "));
    link.text = "--bind";
    CHECK(has(render(plan_with({link})), "--symlink --bind /l"));
  }

  TEST_CASE("more arguments than bwrap takes are refused here, not there") {
    const Plan plan = plan_with(std::vector<Operation>(4600, operation(OperationKind::proc, "/proc")));
    CHECK(render(plan).starts_with("error: cannot render the plan: bwrap takes at most 9000 arguments"));
  }

  TEST_CASE("options are joined with a NUL after each") {
    CHECK_EQ(join_nul({"--proc", "/a b"}), std::string("--proc\0/a b\0", 12));
    CHECK_EQ(join_nul({}), "");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
