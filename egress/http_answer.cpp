// SPDX-License-Identifier: Apache-2.0
#include "egress/http_answer.h"

#include "base/text.h"

namespace agentctl::egress {
namespace {

std::string_view phrase(unsigned status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 408:
      return "Request Timeout";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 504:
      return "Gateway Timeout";
    default:
      return "Bad Gateway";
  }
}

}  // namespace

unsigned status_of(Reason reason) {
  switch (reason) {
    case Reason::no_rule:
    case Reason::deny_rule:
    case Reason::other_port:
    case Reason::unknown_address:
    case Reason::private_address:
    case Reason::server_name:
    case Reason::host_field:
    case Reason::not_tls:
    case Reason::not_http:
      return 403;
    case Reason::malformed:
      return 400;
    case Reason::unsupported:
      return 501;
    case Reason::too_large:
      return 431;
    case Reason::unresolved:
    case Reason::unreachable:
      return 502;
    case Reason::timed_out:
      return 504;
  }
  return 502;
}

std::string denial_answer(const Denial& denial, std::string_view session, bool without_body) {
  const unsigned status = status_of(denial.reason);
  std::string body = cat("agentctl: ", explain(denial), "\n");
  const std::string typed = remedy(denial, session);
  if (!typed.empty()) body += cat("The user can allow it from outside of the sandbox: ", typed, "\n");
  const std::string head =
      cat("HTTP/1.1 ", status, " ", phrase(status), " by agentctl: ", code(denial.reason),
          "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ", body.size(),
          "\r\nCache-Control: no-store\r\nX-Agentctl-Reason: ", code(denial.reason), "\r\nConnection: close\r\n\r\n");
  return without_body ? head : head + body;
}

}  // namespace agentctl::egress
