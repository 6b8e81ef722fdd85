// SPDX-License-Identifier: Apache-2.0
#include "egress/denial.h"

#include "base/text.h"

namespace agentctl::egress {

std::string_view code(Reason reason) {
  switch (reason) {
    case Reason::no_rule:
      return "no-rule";
    case Reason::deny_rule:
      return "deny-rule";
    case Reason::other_port:
      return "other-port";
    case Reason::unknown_address:
      return "unknown-address";
    case Reason::private_address:
      return "private-address";
    case Reason::server_name:
      return "server-name";
    case Reason::host_field:
      return "host-field";
    case Reason::not_tls:
      return "not-tls";
    case Reason::not_http:
      return "not-http";
    case Reason::malformed:
      return "malformed";
    case Reason::unsupported:
      return "unsupported";
    case Reason::too_large:
      return "too-large";
    case Reason::unresolved:
      return "unresolved";
    case Reason::unreachable:
      return "unreachable";
    case Reason::timed_out:
      return "timed-out";
  }
  return "malformed";
}

bool is_failure(Reason reason) {
  return reason == Reason::unresolved || reason == Reason::unreachable || reason == Reason::timed_out;
}

Denial refusal(Reason reason, std::string detail) {
  return {.reason = reason, .asked = {}, .rule = {}, .detail = std::move(detail), .allow = {}};
}

std::string explain(const Denial& denial) {
  const std::string_view verb = is_failure(denial.reason) ? " failed: " : " is denied: ";
  return cat(denial.asked.empty() ? std::string("the connection") : cat("'", denial.asked, "'"), verb, denial.detail);
}

std::string remedy(const Denial& denial, std::string_view session) {
  if (denial.allow.empty()) return {};
  return cat("agentctl allow ", shell_quote(session), " ", shell_quote(denial.allow));
}

}  // namespace agentctl::egress
