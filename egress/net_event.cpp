// SPDX-License-Identifier: Apache-2.0
#include "egress/net_event.h"

#include "base/json.h"
#include "base/text.h"

namespace agentctl::egress {
namespace {

std::string text_or_null(std::string_view text) { return text.empty() ? "null" : json_quote(text); }

std::string_view verdict(const NetEvent& event) {
  if (!event.denial) return "allowed";
  return is_failure(event.denial->reason) ? "failed" : "denied";
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::connect:
      return "connect";
    case Protocol::http:
      return "http";
    case Protocol::socks5:
      return "socks5";
    case Protocol::transparent:
      return "transparent";
    case Protocol::dns:
      return "dns";
  }
  return "connect";
}

std::string log_line(const NetEvent& event) {
  JsonObject line;
  line.number("time_usec", event.time_usec)
      .text("verdict", verdict(event))
      .raw("reason", event.denial ? json_quote(code(event.denial->reason)) : "null")
      .text("protocol", to_string(event.protocol))
      .raw("host", text_or_null(event.host))
      .optional_number("port", event.port ? std::optional<std::uint64_t>(*event.port) : std::nullopt)
      .raw("rule", text_or_null(event.rule))
      .raw("address", event.address ? json_quote(policy::to_string(*event.address)) : "null")
      .number("bytes_up", event.bytes_up)
      .number("bytes_down", event.bytes_down)
      .number("duration_usec", event.duration_usec)
      .number("count", event.count)
      .raw("detail", event.denial ? json_quote(event.denial->detail) : "null")
      .raw("allow", event.denial ? text_or_null(event.denial->allow) : "null");
  return line.str() + "\n";
}

}  // namespace agentctl::egress
