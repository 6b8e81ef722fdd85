// SPDX-License-Identifier: Apache-2.0
// What a process sees of the machine: namespaces and root directory. A program of the service manager's has the
// manager's, and a session in others than its starter's would have other files, another network or another user
// (namespaces(7)).
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

}  // namespace agentctl::manager
