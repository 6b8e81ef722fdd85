// SPDX-License-Identifier: Apache-2.0
// Hard links: other names by which a hidden file can be read. Those in the project are looked for, through the whole of
// it, within a bounded time; no link is followed and no other file system entered, for a hard link leads into none.
// Costs nothing where no hidden file has another name. Sources: stat(2), readdir(3).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

inline constexpr std::uint64_t kLongestNameLookUsec = 1'000'000;

// By canonical path of the hidden file: those with more than one name. After the deadline (of monotonic_usec()) what
// was found counts; the number of names tells that there are more.
[[nodiscard]] std::map<std::string, OtherNames> find_other_names(const std::vector<const PathFact*>& hidden,
                                                                 const HostPath& project, std::uint64_t deadline_usec,
                                                                 PathResolver& resolver);

}  // namespace agentctl::bwrap
