// SPDX-License-Identifier: Apache-2.0
// A process that looks names up the way that every program of this machine does (getaddrinfo(3): /etc/hosts, DNS,
// whatever nsswitch.conf(5) says), one at a time, for a door that must not wait and may open no file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "policy/ip_address.h"

namespace agentctl::egress {

struct ResolverProcess {
  UniqueFd socket;  // keeps bounds (unix(7), SOCK_SEQPACKET): a name goes, an answer comes
  ChildProcess process;
};

// Dies with the caller.
[[nodiscard]] Result<ResolverProcess> start_resolver();

// What comes: "+" and the addresses, or "-" and why there are none. An Error of kind environment.
[[nodiscard]] Result<std::vector<policy::IpAddress>> read_resolved(std::string_view answer);
inline constexpr std::size_t kLargestResolved = 4096;

}  // namespace agentctl::egress
