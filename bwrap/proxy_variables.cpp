// SPDX-License-Identifier: Apache-2.0
#include "bwrap/proxy_variables.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

// npm's own go before what an .npmrc says, which is the host's or the project's.
constexpr const char* kProxies[] = {"ALL_PROXY",   "HTTPS_PROXY", "HTTP_PROXY",       "all_proxy",
                                    "https_proxy", "http_proxy",  "npm_config_proxy", "npm_config_https_proxy"};
constexpr const char* kExceptions[] = {"NO_PROXY", "no_proxy", "npm_config_noproxy"};
// No ranges: a program would go there by itself, and find nothing.
constexpr const char* kOwnLoopback = "localhost,127.0.0.1,::1";

std::string proxy_url() { return cat("http://127.0.0.1:", kProxyPort); }

}  // namespace

bool is_proxy_variable(std::string_view name) {
  const std::string lower = ascii_lower(name);
  return lower.ends_with("_proxy") || lower.ends_with("_noproxy") || lower.starts_with("cloudsdk_proxy_") ||
         lower == "socks_server";
}

void add_proxy_variables(std::map<std::string, std::string>& variables) {
  for (const char* name : kProxies) variables[name] = proxy_url();
  for (const char* name : kExceptions) variables[name] = kOwnLoopback;
  variables["NODE_USE_ENV_PROXY"] = "1";
}

GitSettings proxy_git_settings(const std::vector<std::string>& environment) {
  const bool is_ours = std::all_of(std::begin(kProxies), std::end(kProxies), [&](const char* name) {
    return std::find(environment.begin(), environment.end(), cat(name, "=", proxy_url())) != environment.end();
  });
  if (!is_ours) return {};
  return {{"http.proxy", proxy_url()}};
}

}  // namespace agentctl::bwrap
