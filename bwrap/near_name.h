// SPDX-License-Identifier: Apache-2.0
// What somebody probably meant who named a path that is not there: a name that stands beside the first missing one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bwrap/host_facts.h"

namespace agentctl::bwrap {

// "/home/ada/.npmrc" for "/home/ada/.nmprc"; "" where nothing near stands there. Reads one directory, of which 2000
// names count.
[[nodiscard]] std::string near_name(const std::string& absolute_path);

// For each entry of the policy whose absence is told or refused, by its expanded name. Needs HostFacts::paths; reads
// nothing where nothing is missing.
[[nodiscard]] std::map<std::string, std::string> find_near_names(const policy::FileSettings& files,
                                                                 const HostFacts& facts);

// "; did you mean '/home/ada/.npmrc'?", or nothing. Pure.
[[nodiscard]] std::string did_you_mean(const policy::Entry& entry, const HostFacts& facts);

// The user's own entries of hide and protect that name nothing and are not optional: a slip of the pen would leave the
// secret where it is. Pure.
void warn_of_missing_entries(const policy::FileSettings& files, const HostFacts& facts,
                             std::vector<std::string>& warnings);

}  // namespace agentctl::bwrap
