// SPDX-License-Identifier: Apache-2.0
#include "bwrap/proxy_variables.h"

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

using Variables = std::map<std::string, std::string>;

std::vector<std::string> listed(const Variables& variables) {
  std::vector<std::string> words;
  for (const auto& [name, value] : variables) words.push_back(name + "=" + value);
  return words;
}

}  // namespace

TEST_SUITE("proxy_variables") {
  TEST_CASE(
      "programs that look for a proxy in either case find the one inside, and go to their own loopback directly") {
    Variables variables = {{"http_proxy", "http://user:secret@proxy.example:8080"}, {"LANG", "C.UTF-8"}};
    add_proxy_variables(variables);
    for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
                             "npm_config_proxy", "npm_config_https_proxy"}) {
      CAPTURE(name);
      CHECK_EQ(variables[name], "http://127.0.0.1:3128");
    }
    CHECK_EQ(variables["NO_PROXY"], "localhost,127.0.0.1,::1");
    CHECK_EQ(variables["no_proxy"], variables["NO_PROXY"]);
    CHECK_EQ(variables["NODE_USE_ENV_PROXY"], "1");
    CHECK_EQ(variables["LANG"], "C.UTF-8");
  }

  TEST_CASE("every variable that is set is one that the host's never take the place of") {
    Variables variables;
    add_proxy_variables(variables);
    variables.erase("NODE_USE_ENV_PROXY");  // which names no proxy
    CHECK_EQ(variables.size(), 11);
    for (const auto& variable : variables) CHECK_MESSAGE(is_proxy_variable(variable.first), variable.first);
  }

  TEST_CASE("what names a proxy is known by its name, and what only sounds like it is not") {
    for (const char* name : {"HTTPS_PROXY", "no_proxy", "Http_Proxy", "ftp_proxy", "RSYNC_PROXY", "GRPC_PROXY",
                             "PIP_PROXY", "CARGO_HTTP_PROXY", "npm_config_https_proxy", "NPM_CONFIG_NOPROXY",
                             "CLOUDSDK_PROXY_ADDRESS", "SOCKS_SERVER"}) {
      CHECK_MESSAGE(is_proxy_variable(name), name);
    }
    for (const char* name : {"", "PROXY", "GOPROXY", "GONOPROXY", "PROXY_MODE", "NODE_USE_ENV_PROXYX", "LANG"}) {
      CHECK_MESSAGE(!is_proxy_variable(name), name);
    }
  }

  TEST_CASE("git goes through the door whatever its own configuration says, but where the user has set another proxy") {
    Variables variables;
    add_proxy_variables(variables);
    CHECK(proxy_git_settings(listed(variables)) == GitSettings{{"http.proxy", "http://127.0.0.1:3128"}});
    for (const char* name : {"https_proxy", "HTTP_PROXY", "ALL_PROXY"}) {
      Variables changed = variables;
      changed[name] = "http://127.0.0.1:9999";
      CHECK(proxy_git_settings(listed(changed)).empty());
      changed.erase(name);
      CHECK(proxy_git_settings(listed(changed)).empty());
    }
  }
}

}  // namespace agentctl::bwrap
