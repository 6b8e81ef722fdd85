// SPDX-License-Identifier: Apache-2.0
// What a start says of the hosts that a policy allows and denies: rules that open more than one public host, an
// allowlist that opens nothing, denials that the network mode does not heed. Of what nobody on this machine wrote it
// says nothing. Pure.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"

namespace agentctl::policy {

// "network: '*.github.io' (policy.toml:3:9) allows every host below 'github.io', where anybody can have one".
[[nodiscard]] std::vector<std::string> host_remarks(const Policy& policy);

}  // namespace agentctl::policy
