// SPDX-License-Identifier: Apache-2.0
#include "bwrap/x_display.h"

#include <doctest/doctest.h>

#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

TEST_SUITE("x_display") {
  TEST_CASE("TOOL-16 each way to name a display of this machine gives its abstract socket") {
    for (const char* display : {":12", ":12.1", "unix:12", "unix:12.0", "unix/:12", "local/:12"}) {
      CHECK_EQ(x_socket_name(display), "@/tmp/.X11-unix/X12");
    }
  }

  TEST_CASE("a display elsewhere, none and nonsense give none") {
    for (const char* display : {"", ":", "host:0", "localhost:10.0", "0", ":x", ":1/../x", "tcp/host:0"}) {
      CHECK_EQ(x_socket_name(display), "");
    }
  }

  TEST_CASE("the kernel's list is searched for the whole name") {
    const char* list =
        "Num       RefCount Protocol Flags    Type St Inode Path\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 20001 @/tmp/.X11-unix/X10\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 20002 /tmp/.X11-unix/X1\n";
    CHECK(lists_socket(list, "@/tmp/.X11-unix/X10"));
    CHECK_FALSE(lists_socket(list, "@/tmp/.X11-unix/X1"));
    CHECK_FALSE(lists_socket("", "@/tmp/.X11-unix/X0"));
  }

  TEST_CASE("an X server that answers a shared network is told, and is no matter of a network of its own") {
    const SampleMachine machine = SampleMachine::debian();
    policy::Policy policy = sample_policy();
    HostFacts facts = machine.facts(policy);
    facts.x_socket = "@/tmp/.X11-unix/X0";
    facts.has_landlock_scopes = false;
    const Plan shared = build_plan(policy, facts).value();
    REQUIRE_EQ(shared.warnings.size(), 2);
    CHECK(shared.warnings[1].find("X server at '@/tmp/.X11-unix/X0'") != std::string::npos);
    policy.network->value = policy::NetworkMode::none;
    CHECK(build_plan(policy, facts).value().warnings.empty());
  }
}

}  // namespace
}  // namespace agentctl::bwrap
