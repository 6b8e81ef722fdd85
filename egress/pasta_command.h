// SPDX-License-Identifier: Apache-2.0
// The command line by which pasta (passt) gives a network namespace its way out. Pure. Source: passt(1) of 2023-03-09,
// Debian 12's, whose options later versions still take.
#pragma once

#include <string>
#include <vector>

#include "egress/inner_network.h"

namespace agentctl::egress {

// `namespace_fd` is the network namespace's, as pasta will have it; it runs with the capabilities of the owner already.
[[nodiscard]] std::vector<std::string> pasta_command(const InnerNetwork& inner, int namespace_fd);

}  // namespace agentctl::egress
