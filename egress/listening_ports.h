// SPDX-License-Identifier: Apache-2.0
// The TCP ports on which programs of a session listen, where its loopback reaches them: the kernel's tables of proc(5),
// /proc/PID/net/tcp and tcp6, of the network in which a process is.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string_view>

#include "base/result.h"

namespace agentctl::egress {

// Of one table. Pure. What listens on another address than any and the loopback's is left out.
[[nodiscard]] std::set<std::uint16_t> parse_listening_ports(std::string_view table);

[[nodiscard]] Result<std::set<std::uint16_t>> read_listening_ports(pid_t inside);

}  // namespace agentctl::egress
