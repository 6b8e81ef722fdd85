// SPDX-License-Identifier: Apache-2.0
#include "manager/explanation.h"

#include <doctest/doctest.h>

namespace agentctl::manager {

TEST_SUITE("explanation") {
  TEST_CASE("a word is a path or a host by how it looks, or may be either") {
    for (const char* host : {"localhost", "api.example.org:443", "10.0.0.1", "[::1]:80", "*.example.org"}) {
      CAPTURE(host);
      CHECK(kind_of(host) == SubjectKind::host);
    }
    for (const char* path :
         {"", ".", "..", "./example.org", "/etc", "~", "~/x", ".env", "src", "a b.c", "example.org/x", "Makefile"}) {
      CAPTURE(path);
      CHECK(kind_of(path) == SubjectKind::path);
    }
    for (const char* word : {"example.org", "nosuch.pem", "README.md"}) {
      CAPTURE(word);
      CHECK(kind_of(word) == SubjectKind::either);
    }
  }

  TEST_CASE("what may be either gets both answers") {
    const ExplainedPath path{"/p/nosuch.pem", {.end = "/p/nosuch.pem", .rule = "r", .why = "it is not there"}, {}};
    const std::string text = host_text("nosuch.pem", {true, "default", "w"}, path);
    CHECK(text.find("host        nosuch.pem\ninside      reachable\n") == 0);
    CHECK(text.ends_with("or a path   '/p/nosuch.pem' is absent: it is not there\n"));
    CHECK(
        host_json("x.y", {true, "default", "w"}, path).find(R"("or_path":{"path":"/p/nosuch.pem","inside":"absent")") !=
        std::string::npos);
    CHECK(host_json("x.y", {true, "default", "w"}).find(R"("or_path":null)") != std::string::npos);
  }

  TEST_CASE("what an attacker named is shown on one line, without control characters") {
    bwrap::PathAnswer answer;
    answer.links = {"/p/\x1b[31mx -> \nrule        forged"};
    answer.end = "/p/\x1b]0;x";
    answer.rule = "policy.toml:1:1";
    const std::string text = path_text({"/p/a\nb", answer, {"note\x1b[0m"}});
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\nrule        forged") == std::string::npos);
  }

  TEST_CASE("JSON of a policy holds each rule with table, key, value and origin") {
    const std::string json =
        policy_json({"p", "/x", {"sh"}, {"w"}}, {{"files", "hide", "~/\"x", {"policy.toml", 3, 4}}});
    CHECK(
        json ==
        R"({"profile":"p","project":"/x","command":["sh"],"rules":[{"table":"files","key":"hide","value":"~/\"x","origin":"policy.toml:3:4"}],"warnings":["w"]})"
        "\n");
  }

  TEST_CASE("a host is reached through the network of this machine or not at all") {
    policy::Policy policy;
    CHECK_FALSE(explain_host(policy, "example.org").reachable);
    policy.network = policy::Setting<policy::NetworkMode>{policy::NetworkMode::host, {"policy.toml", 2, 8}};
    CHECK(explain_host(policy, "192.168.1.1").reachable);
    CHECK(explain_host(policy, "example.org").rule == "policy.toml:2:8");
  }

  TEST_CASE("with an allowlist the rule that decides is named, and the port counts") {
    policy::Policy policy;
    policy.network = policy::Setting<policy::NetworkMode>{policy::NetworkMode::allowlist, {"policy.toml", 2, 8}};
    policy.hosts.allow = {{"*.example.org", {"policy.toml", 3, 10}},
                          {"git.example.net:22", {"--allow"}},
                          {"10.0.0.0/8", {"policy.toml", 3, 40}}};
    policy.hosts.deny = {{"x.example.org", {".agentctl.toml", 2, 9}}};
    const HostAnswer allowed = explain_host(policy, "A.example.org");
    CHECK(allowed.reachable);
    CHECK(allowed.rule == "'*.example.org' (policy.toml:3:10)");
    CHECK(allowed.why == "that rule allows it, on port 443; the rule allows every host below 'example.org'");
    CHECK(explain_host(policy, "a.example.org:80").reachable);
    CHECK(explain_host(policy, "git.example.net:22").reachable);
    CHECK(explain_host(policy, "10.1.2.3").reachable);
    const HostAnswer denied = explain_host(policy, "x.example.org:443");
    CHECK_FALSE(denied.reachable);
    CHECK(denied.rule == "'x.example.org' (.agentctl.toml:2:9)");
    const HostAnswer elsewhere = explain_host(policy, "git.example.net");
    CHECK_FALSE(elsewhere.reachable);
    CHECK(elsewhere.why == "that rule allows it on port 22 alone, and not on 443");
    CHECK(explain_host(policy, "a.example.org:8080").why ==
          "that rule allows it on the ports 80 and 443 alone, and not on 8080");
    const HostAnswer unknown = explain_host(policy, "example.org");
    CHECK_FALSE(unknown.reachable);
    CHECK(unknown.rule == "policy.toml:2:8");
    CHECK(unknown.why == "the network mode is \"allowlist\", and no rule allows it");
  }

  TEST_CASE("with an allowlist nothing that is no host, and no loopback of the host's, is reached") {
    policy::Policy policy;
    policy.network = policy::Setting<policy::NetworkMode>{policy::NetworkMode::allowlist, {"policy.toml", 2, 8}};
    policy.hosts.allow = {{"**.example.org", {"policy.toml", 3, 10}}};
    for (const char* host :
         {"localhost", "127.0.0.1:3000", "::1", "[::1]:80", "*.example.org", "evil-example.org", "1.1.1.1",
          "example.org.evil.net", "127.1", "2130706433", "user@example.org", "example.org:443:80"}) {
      CAPTURE(host);
      CHECK_FALSE(explain_host(policy, host).reachable);
    }
  }

  TEST_CASE("with nat an address that is not of the public internet is not reached") {
    policy::Policy policy;
    policy.network = policy::Setting<policy::NetworkMode>{policy::NetworkMode::nat, {"policy.toml", 2, 8}};
    for (const char* host :
         {"example.org", "example.org:443", "1.1.1.1", "1.1.1.1:53", "2606:4700:4700::1111", "[2606:4700::1]:80"}) {
      CAPTURE(host);
      CHECK(explain_host(policy, host).reachable);
    }
    for (const char* host : {"localhost", "localhost:3000", "127.0.0.1", "::1", "[::1]", "[::1]:80", "192.168.1.1",
                             "10.0.0.1:22", "169.254.169.254", "fd00::1", "192.0.2.1", "::ffff:10.0.0.1"}) {
      CAPTURE(host);
      CHECK_FALSE(explain_host(policy, host).reachable);
    }
  }
}

}  // namespace agentctl::manager
