// SPDX-License-Identifier: Apache-2.0
#include "egress/http_request_line.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kLongestMethod = 32;
constexpr std::string_view kScheme = "http://";

Denial malformed(std::string detail) { return refusal(Reason::malformed, std::move(detail)); }

bool is_method(std::string_view text) {
  return !text.empty() && text.size() <= kLongestMethod &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; });
}

// Visible ASCII; a fragment stays with the client.
bool is_target(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
}

std::optional<Denial> read_authority(std::string_view text, std::optional<std::uint16_t> otherwise, HttpHead& head) {
  auto parsed = policy::parse_host_and_port(text);
  if (!parsed) return malformed(cat("the host of the request ", parsed.error().message));
  const auto port = parsed->port ? parsed->port : otherwise;
  if (!port) return malformed("CONNECT names no port");
  head.endpoint = policy::Endpoint{std::move(parsed->host), *port};
  return std::nullopt;
}

std::optional<Denial> read_absolute(std::string_view target, HttpHead& head) {
  constexpr std::uint16_t kPort = 80;
  const std::size_t colon = target.find(':');
  if (target.starts_with('/') || target == "*") return malformed("a proxy is asked for a whole URL");
  if (colon == std::string_view::npos) return malformed("the target is no URL");
  if (!equals_ignoring_case(target.substr(0, kScheme.size()), kScheme)) {
    return refusal(Reason::unsupported, "only http:// is fetched here; https goes by CONNECT");
  }
  const std::string_view rest = target.substr(kScheme.size());
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  head.path = cat(end < rest.size() && rest[end] == '/' ? "" : "/", rest.substr(end));
  return read_authority(rest.substr(0, end), kPort, head);
}

}  // namespace

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

std::optional<Denial> read_request_line(std::string_view line, HttpRole role, HttpHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return malformed("the first line is no request of HTTP/1");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_method(method)) return malformed("the method is no word in capitals");
  if (!is_target(target)) return malformed("the target holds a blank, a control, a '#' or what is not ASCII");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return refusal(Reason::unsupported, "only HTTP/1.1 and 1.0 are spoken here");
  if (method == "TRACE" || method == "TRACK") return refusal(Reason::unsupported, "TRACE is not passed on");
  head.method = method;
  head.is_connect = method == "CONNECT";
  head.is_http_1_0 = version == "HTTP/1.0";
  if (role == HttpRole::origin) {
    if (head.is_connect || !target.starts_with('/')) return malformed("an origin is asked for a path");
    head.path = target;
    return std::nullopt;
  }
  return head.is_connect ? read_authority(target, std::nullopt, head) : read_absolute(target, head);
}

}  // namespace agentctl::egress
