// SPDX-License-Identifier: Apache-2.0
#include "manager/door_plan.h"

#include <doctest/doctest.h>

#include "base/base64.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

using Environment = std::map<std::string, std::string>;

DoorPlan plan_of(const Environment& environment) {
  auto plan = plan_door({{{"example.org", {"policy.toml", 3, 10}}}, {}}, environment);
  REQUIRE_MESSAGE(plan.has_value(), plan.error().message);
  return *plan;
}

Error refusal(const Environment& environment) {
  const auto plan = plan_door({}, environment);
  REQUIRE_FALSE(plan.has_value());
  return plan.error();
}

}  // namespace

TEST_SUITE("door_plan") {
  TEST_CASE("the rules are those of the policy") {
    const DoorPlan plan = plan_of({});
    REQUIRE(plan.rules.allowed().size() == 1);
    CHECK(egress::to_string(plan.rules.allowed()[0]) == "'example.org' (policy.toml:3:10)");
    CHECK_FALSE(plan.upstream.has_value());
    CHECK(describe_upstream(plan).empty());
  }

  TEST_CASE("the host's own proxy is gone through, for https first and in lower case first, as curl does") {
    CHECK(describe_upstream(plan_of({{"HTTP_PROXY", "http://b.example:1"}, {"HTTPS_PROXY", "http://a.example:2"}})) ==
          "'a.example:2' (HTTPS_PROXY)");
    CHECK(describe_upstream(plan_of({{"https_proxy", "c.example"}, {"HTTPS_PROXY", "http://a.example:2"}})) ==
          "'c.example:80' (https_proxy)");
    CHECK(describe_upstream(plan_of({{"HTTPS_PROXY", " "}, {"ALL_PROXY", "http://127.0.0.1:3128/"}})) ==
          "'127.0.0.1:3128' (ALL_PROXY)");
    CHECK(plan_of({{"no_proxy", ".example.net"}, {"NO_PROXY", "x"}}).direct_hosts == ".example.net");
    CHECK(plan_of({{"NO_PROXY", "localhost,10.0.0.0/8"}}).direct_hosts == "localhost,10.0.0.0/8");
  }

  TEST_CASE("its login is kept for it, and not shown") {
    const DoorPlan plan = plan_of({{"HTTPS_PROXY", "http://ada:hunter2@proxy.example:3128"}});
    CHECK(plan.upstream->login.authorization == cat("Basic ", base64("ada:hunter2")));
    CHECK(describe_upstream(plan) == "'proxy.example:3128' (HTTPS_PROXY)");
  }

  TEST_CASE("a proxy that cannot be used is refused by its variable, without its login") {
    for (const char* url : {"socks5://ada:hunter2@proxy.example:1080", "https://ada:hunter2@proxy.example",
                            "http://ada:hunter2@proxy.example:0", "http://ada:hunter2@",
                            "http://ada:hunter2%zz@proxy.example", "http://ada:hunter2@pro xy.example"}) {
      CAPTURE(url);
      const Error error = refusal({{"HTTPS_PROXY", url}});
      CHECK(error.kind == ErrorKind::environment);
      CHECK(error.message.starts_with("cannot use the proxy that the variable HTTPS_PROXY names: it"));
      CHECK(error.hint.find("env -u HTTPS_PROXY") != std::string::npos);
      for (const std::string* text : {&error.message, &error.hint}) {
        CHECK(text->find("hunter2") == std::string::npos);
        CHECK(text->find("ada") == std::string::npos);
      }
    }
  }

  TEST_CASE("the first that is named counts, also where it is a bad one beside a good one") {
    CHECK(refusal({{"https_proxy", "socks5://x.example"}, {"HTTPS_PROXY", "http://a.example"}})
              .message.find("the variable https_proxy") != std::string::npos);
  }

  TEST_CASE("an entry that is no rule is refused with its place") {
    const auto plan = plan_door({{{"https://x", {"policy.toml", 3, 10}}}, {}}, {});
    REQUIRE_FALSE(plan.has_value());
    CHECK(plan.error().message.starts_with("policy.toml:3:10: 'https://x' in 'allow' "));
  }
}

}  // namespace agentctl::manager
