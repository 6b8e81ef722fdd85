// SPDX-License-Identifier: Apache-2.0
// What a process sees of the machine: namespaces and root directory. A program of the service manager's has the
// manager's, and a session in others than its starter's would have other files, another network or another user
// (namespaces(7)). And its groups: with more than its starter a session could do more (credentials(7)).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace agentctl::manager {

// Of this process, each as a word that is the same for the same thing: "mnt:[4026531841]".
[[nodiscard]] Result<std::vector<std::string>> read_surroundings();

// An Error of kind environment that says what differs. Pure.
[[nodiscard]] Result<void> compare_surroundings(const std::vector<std::string>& starter,
                                                const std::vector<std::string>& own);

// Of this process, by number: the effective one and the supplementary ones.
[[nodiscard]] Result<std::vector<std::string>> read_groups();

// The starter's groups that this process is not in, or an Error of kind environment when it is in others. Pure.
[[nodiscard]] Result<std::vector<std::string>> compare_groups(const std::vector<std::string>& starter,
                                                              const std::vector<std::string>& own);

}  // namespace agentctl::manager
