// SPDX-License-Identifier: Apache-2.0
// Opening: what one name of the policy's [allow] lets in, at a fixed place inside, and what it means, a sentence for
// status. Nothing is opened but by name. An endpoint that the host lacks is told and the session starts without it; one
// that an agent could have put there is refused. Pure.
// A socket is bound by itself, never its directory, for others may stand there. When the host replaces it during the
// session, the session keeps the old one, which nobody serves: it must be started again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

struct Opened {
  std::map<std::string, std::string> variables;  // of the session's environment
  std::vector<std::string> warnings;
  std::vector<HostPath> sockets;  // canonical
};

struct Opening {
  std::string_view name;
  std::vector<std::string> (*paths)(const HostFacts& facts);  // what HostFacts::paths must know of
  Result<void> (*open)(const HostFacts& facts, Layout& layout, Opened& opened);
};

[[nodiscard]] Opening ssh_agent_opening();
[[nodiscard]] Opening gpg_agent_opening();
[[nodiscard]] Opening wayland_opening();
[[nodiscard]] Opening gpu_opening();
[[nodiscard]] Opening kvm_opening();

// Every path that the openings of this policy look up in HostFacts::paths; `facts` has caller and home already.
[[nodiscard]] std::vector<std::string> opening_paths(const policy::AllowSettings& allow, const HostFacts& facts);
[[nodiscard]] Result<Opened> add_openings(const policy::Policy& policy, const HostFacts& facts, Layout& layout);

// For the openings themselves.
[[nodiscard]] std::string caller_variable(const HostFacts& facts, const std::string& name);  // "" when unset
// The socket that `found_by` names, or nothing, and then a warning says why.
[[nodiscard]] Result<const PathFact*> find_socket(const HostFacts& facts, std::string_view opening,
                                                  std::string_view found_by, const std::string& path, Opened& opened);
[[nodiscard]] Want socket_want(const PathFact& socket, const std::string& destination, std::string_view opening);

}  // namespace agentctl::bwrap
