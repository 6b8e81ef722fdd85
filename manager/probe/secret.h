// SPDX-License-Identifier: Apache-2.0
// Random words that nobody can guess: names of what is planted, and secrets in it (secret_mark.h).
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace agentctl::probe {

[[nodiscard]] Result<std::string> random_hex(std::size_t digits);
[[nodiscard]] Result<std::string> make_secret();

}  // namespace agentctl::probe
