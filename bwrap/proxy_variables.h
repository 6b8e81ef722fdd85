// SPDX-License-Identifier: Apache-2.0
// The variables by which programs inside find the door of the network mode allowlist, and git's setting of the same
// meaning. Those that know nothing of proxies reach it all the same (egress/door.h); with a proxy a program is told in
// words what is denied. The host's own are never passed in this mode: they may hold a login, and lead nowhere inside.
// Pure. Sources: curl(1), "ENVIRONMENT"; git-config(1), "http.proxy"; Node's NODE_USE_ENV_PROXY; npm's config(7).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bwrap/hidden_from_git.h"

namespace agentctl::bwrap {

inline constexpr std::uint16_t kProxyPort = 3128;  // on the session's 127.0.0.1

// HTTP_PROXY, no_proxy, npm_config_https_proxy and whatever is named like them; not GOPROXY, which is no proxy.
[[nodiscard]] bool is_proxy_variable(std::string_view name);

// Over what stands there.
void add_proxy_variables(std::map<std::string, std::string>& variables);

// Goes before a proxy that the user's own configuration of git names. `environment` ("NAME=value") is the session's:
// none where the user has set another proxy there.
[[nodiscard]] GitSettings proxy_git_settings(const std::vector<std::string>& environment);

}  // namespace agentctl::bwrap
