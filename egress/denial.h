// SPDX-License-Identifier: Apache-2.0
// Denial: why something did not get through the door, in a form that the agent, the user and the log are each told
// from. Pure. Everything in it that came from inside went through printable() or is canonical.
#pragma once

#include <string>
#include <string_view>

namespace agentctl::egress {

enum class Reason {
  no_rule,          // nothing allows the host
  deny_rule,        // a rule denies it
  other_port,       // it is allowed on other ports only
  unknown_address,  // one of our stub's addresses that stands for no name
  private_address,  // the name leads to no public address
  server_name,      // TLS names another host than was asked for, or none
  host_field,       // HTTP names another host than was asked for
  not_tls,          // something else where TLS was expected
  not_http,
  malformed,    // bytes that no program of good will sends
  unsupported,  // well-formed, but not offered here
  too_large,
  // Allowed, but it failed:
  unresolved,
  unreachable,
  timed_out,
};
[[nodiscard]] std::string_view code(Reason reason);  // "no-rule", for logs and X-Agentctl-Reason
[[nodiscard]] bool is_failure(Reason reason);        // not the door's doing

struct Denial {
  Reason reason = Reason::malformed;
  std::string asked;   // "example.com:443"; empty where no host could be read
  std::string rule;    // the rule that decided: "'*.example.com' (policy.toml:3:9)"; empty where none did
  std::string detail;  // what is wrong, as a fragment: "it resolves to 10.0.0.7, a private address"
  std::string allow;   // what `agentctl allow NAME` takes to let it through: "example.com:22"; empty where nothing does
};

// Of bytes that no parser takes, before any host is known.
[[nodiscard]] Denial refusal(Reason reason, std::string detail);

// One line: "'example.com:443' is denied: no rule allows it".
[[nodiscard]] std::string explain(const Denial& denial);
// What the user can type, for a session's name: "agentctl allow claude-webshop example.com"; empty where nothing helps.
[[nodiscard]] std::string remedy(const Denial& denial, std::string_view session);

}  // namespace agentctl::egress
