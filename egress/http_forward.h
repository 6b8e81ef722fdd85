// SPDX-License-Identifier: Apache-2.0
// The head that the door sends on for a request: built anew from the parts of an HttpHead, never copied. Fields that
// are for one hop only stay behind (RFC 9110, 7.6.1), and one request goes over one connection: "Connection: close".
// Pure.
#pragma once

#include <string>

#include "egress/http_head.h"

namespace agentctl::egress {

// A proxy of the user's company between the door and the world.
struct UpstreamLogin {
  std::string authorization;  // the value of Proxy-Authorization; empty without a login
};

[[nodiscard]] std::string origin_head(const HttpHead& head);  // "GET /x HTTP/1.1"
[[nodiscard]] std::string proxied_head(const HttpHead& head,
                                       const UpstreamLogin& login);  // "GET http://a.example/x HTTP/1.1"
[[nodiscard]] std::string connect_head(const policy::Endpoint& endpoint, const UpstreamLogin& login);

}  // namespace agentctl::egress
