// SPDX-License-Identifier: Apache-2.0
// The file of the program that runs, for processes that are to run the same.
#pragma once

#include <string>

#include "base/result.h"

namespace agentctl::manager {

[[nodiscard]] Result<std::string> own_program();  // an absolute path

}  // namespace agentctl::manager
