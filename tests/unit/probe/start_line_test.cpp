// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/start_line.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "manager/probe/grants.h"

using namespace agentctl;
using namespace agentctl::probe;

TEST_SUITE_BEGIN("start_line");

TEST_CASE("every option of the sandbox arrives at start as it was meant where it was typed") {
  manager::StartOptions options;
  options.profile = "claude";
  options.limits = {{"memory-max", "8G"}};
  options.read_only = {"/a", "b", "~/c"};
  options.hide = {"../d", "!./e", "!f"};
  options.env = {"A=b c"};
  options.home = "persistent";
  options.network = "allowlist";
  options.allow = {"*.a.example", "!*"};
  options.deny = {"b.a.example:22"};
  CHECK(join(start_options(options, "/here"), "|") ==
        "--profile=claude|--memory-max=8G|--ro=/a|--ro=/here/b|--ro=~/c|--hide=/here/../d|--hide=!./e|--hide=!/here/f|"
        "--env=A=b "
        "c|--home=persistent|--net=allowlist|--allow=*.a.example|--allow=!*|--deny=b.a.example:22|--manager=auto");
}

TEST_CASE("without limits no manager is named") {
  manager::StartOptions options;
  options.no_limits = true;
  CHECK(join(start_options(options, "/here"), "|") == "--no-limits");
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("grants");

TEST_CASE("a policy that opens nothing grants nothing") {
  const Grants grants = grants_of(policy::Policy{}, "/home/me", "/p", true);
  CHECK(grants.openings.empty());
  CHECK(grants.readable.empty());
}

TEST_CASE("each opening of a policy is granted, and no other") {
  policy::Policy policy;
  policy.network = policy::Setting<policy::NetworkMode>{policy::NetworkMode::host, {}};
  policy.allow.sockets.push_back(policy::Entry{"ssh-agent", {}});
  policy.allow.nested = policy::Setting<bool>{false, {}};
  policy.files.read_only.push_back(policy::Entry{"~/notes", {}});
  policy.files.read_only.push_back(policy::Entry{"./sub", {}});
  policy.files.read_write.push_back(policy::Entry{"/scratch", {}});
  const Grants grants = grants_of(policy, "/home/me", "/p", false);
  CHECK(grants.openings == std::set<Opening>{Opening::network, Opening::abstract_sockets, Opening::ssh_agent});
  CHECK_FALSE(grants_of(policy, "/home/me", "/p", true).openings.contains(Opening::abstract_sockets));
  CHECK(grants.readable == std::vector<std::string>{"/home/me/notes", "/p/sub", "/scratch"});
  CHECK(grants.writable == std::vector<std::string>{"/scratch"});
  policy.files.home = policy::Setting<policy::HomeMode>{policy::HomeMode::read_only, {}};
  CHECK(grants_of(policy, "/home/me", "/p", true).openings.contains(Opening::home));
}

TEST_CASE("of a running session counts what it tells of itself") {
  manager::Record record;
  record.network = "none";
  record.nested = true;
  record.warnings = {"kvm is let in: the session can run virtual machines", "gpu: no card is there"};
  const Grants grants = grants_of(record, "/home/me", false);
  CHECK(grants.openings == std::set<Opening>{Opening::nested, Opening::virtual_machines});
}

TEST_SUITE_END();
