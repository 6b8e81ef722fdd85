// SPDX-License-Identifier: Apache-2.0
// Upstream: the proxy of the user's company that the door itself goes through, as the host's own environment names it
// (HTTPS_PROXY, HTTP_PROXY, NO_PROXY; curl(1)). It is asked only for what the rules allow, and by name, so that the
// name is resolved there: addresses are not looked at here. Its login never enters the sandbox. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "egress/http_forward.h"
#include "policy/host.h"

namespace agentctl::egress {

struct Upstream {
  policy::Endpoint endpoint;
  UpstreamLogin login;
};

// "http://user:password@proxy.example:3128", "proxy.example:3128". Errors (kind environment) show no login.
[[nodiscard]] Result<Upstream> parse_upstream(std::string_view url);

// The value of NO_PROXY: what is reached without the proxy. "*", "example.com" and ".example.com" (both with what is
// below), addresses and ranges, each also with a port. What nobody can read in it is passed over, as every client does.
class DirectHosts {
 public:
  explicit DirectHosts(std::string_view list);
  [[nodiscard]] bool contain(const policy::Endpoint& endpoint) const;

 private:
  struct Item {
    std::variant<policy::HostName, policy::IpPrefix> hosts;
    std::optional<std::uint16_t> port;
  };
  bool has_all_ = false;
  std::vector<Item> items_;
};

}  // namespace agentctl::egress
