// SPDX-License-Identifier: Apache-2.0
// Golden files: what a pure function gives, kept as a file that a reviewer reads. AGENTCTL_UPDATE_GOLDEN=1 writes them.
#pragma once

#include <string>
#include <vector>

namespace agentctl::test {

// Paths are below tests/golden. A golden file that is missing fails the test.
void check_golden(const std::string& path, const std::string& text);
[[nodiscard]] std::string read_golden(const std::string& path);
// Names of the files of `directory` that end in `suffix`, sorted, without it.
[[nodiscard]] std::vector<std::string> golden_names(const std::string& directory, const std::string& suffix);

}  // namespace agentctl::test
