// SPDX-License-Identifier: Apache-2.0
// Sockets that programs outside serve in what a session is shown: in the project, in what a profile binds. Who connects
// to one has it do what it does for the user, and a read-only mount does not keep anybody from connecting. They are
// found by the kernel's list of what is bound (/proc/net/unix), not by walking trees, and hidden by a mask unless the
// policy names them in read-write.
// Does not see: a socket that is bound once the session runs; one of another network namespace (a container's); one
// that was moved to another directory after it was bound, or bound by a relative name from a directory in which its
// server no longer is. Source: proc(5), unix(7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "bwrap/path_resolution.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// The paths of listening and of datagram sockets, as they were given to bind(2): relative ones, too. Pure.
[[nodiscard]] std::vector<std::string> names_of_served(std::string_view proc_net_unix);

// Those that stand in one of these directories or deeper, by canonical path.
[[nodiscard]] std::vector<PathFact> find_served_sockets(const std::vector<std::string>& trees, PathResolver& resolver);

// Before Layout::arrange(), when everything that shows something is in the layout. Pure.
void cover_served_sockets(const policy::FileSettings& files, const HostFacts& facts, Layout& layout,
                          std::vector<std::string>& warnings);

}  // namespace agentctl::bwrap
