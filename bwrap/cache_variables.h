// SPDX-License-Identifier: Apache-2.0
// Where tools keep what they have downloaded or built, when that is neither ~/.cache nor to be shared: a file in a
// cache that another project, or the host, runs later is a way out of the sandbox. Pure.
#pragma once

#include <map>
#include <string>

namespace agentctl::bwrap {

// Adds what the user has not set. `cache` is a directory inside.
void add_cache_variables(const std::string& cache, std::map<std::string, std::string>& variables);

}  // namespace agentctl::bwrap
