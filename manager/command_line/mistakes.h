// SPDX-License-Identifier: Apache-2.0
// What is wrong with the words of a command line, told with what was probably meant. Errors are of the kind usage.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace agentctl::manager::command_line {

// The verb that `word` is, or is the beginning of and of no other.
[[nodiscard]] Result<std::string> find_verb(const CLI::App& app, const std::string& word);

// CLI11 takes "--" for the value of an option before it; the user has forgotten that value. `words`: after the verb.
[[nodiscard]] Result<void> check_values(const CLI::App& verb, const std::vector<std::string>& words);

// "; did you mean '--ro'?" for the first option in `words`, the verb among them, that nobody knows; else nothing.
[[nodiscard]] std::string nearest_option(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace agentctl::manager::command_line
