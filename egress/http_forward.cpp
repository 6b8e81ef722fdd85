// SPDX-License-Identifier: Apache-2.0
#include "egress/http_forward.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"

namespace agentctl::egress {
namespace {

constexpr std::uint16_t kHttpPort = 80;

// For this hop, or said again by us.
constexpr std::string_view kLeftBehind[] = {
    "connection", "keep-alive",     "te",   "trailer",        "transfer-encoding",
    "upgrade",    "http2-settings", "host", "content-length", "proxy-connection"};

std::vector<std::string> named_by_connection(const std::vector<HttpField>& fields) {
  std::vector<std::string> names;
  for (const HttpField& field : fields) {
    if (!equals_ignoring_case(field.name, "Connection")) continue;
    for_each_part(field.value, ',', [&](std::string_view name) { names.push_back(ascii_lower(trim(name))); });
  }
  return names;
}

std::string authority(const policy::Endpoint& endpoint) {
  return endpoint.port == kHttpPort ? policy::to_string(endpoint.host) : policy::to_string(endpoint);
}

std::string build(const HttpHead& head, std::string_view target, std::string_view more) {
  const std::vector<std::string> dropped = named_by_connection(head.fields);
  std::string out = cat(head.method, " ", target, head.is_http_1_0 ? " HTTP/1.0" : " HTTP/1.1",
                        "\r\nHost: ", authority(*head.endpoint), "\r\n", more);
  for (const HttpField& field : head.fields) {
    const std::string name = ascii_lower(field.name);
    if (name.starts_with("proxy-") || std::find(dropped.begin(), dropped.end(), name) != dropped.end() ||
        std::find(std::begin(kLeftBehind), std::end(kLeftBehind), name) != std::end(kLeftBehind)) {
      continue;
    }
    out += cat(field.name, ": ", field.value, "\r\n");
  }
  if (head.framing.kind == HttpFraming::Kind::chunked) out += "Transfer-Encoding: chunked\r\n";
  const bool has_length = find_field(head.fields, "Content-Length") != nullptr;
  if (has_length) out += cat("Content-Length: ", head.framing.length, "\r\n");
  out += head.wants_websocket ? "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" : "Connection: close\r\n\r\n";
  return out;
}

std::string login_field(const UpstreamLogin& login) {
  if (login.authorization.empty()) return {};
  return cat("Proxy-Authorization: ", login.authorization, "\r\n");
}

}  // namespace

std::string origin_head(const HttpHead& head) { return build(head, head.path, {}); }

std::string proxied_head(const HttpHead& head, const UpstreamLogin& login) {
  return build(head, cat("http://", authority(*head.endpoint), head.path), login_field(login));
}

std::string connect_head(const policy::Endpoint& endpoint, const UpstreamLogin& login) {
  const std::string target = policy::to_string(endpoint);
  return cat("CONNECT ", target, " HTTP/1.1\r\nHost: ", target, "\r\n", login_field(login), "\r\n");
}

}  // namespace agentctl::egress
