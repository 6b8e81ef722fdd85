// SPDX-License-Identifier: Apache-2.0
// The scripts of packaging/completions, compiled in by embed_scripts.cmake: what `agentctl completion` prints is what
// is installed.
#pragma once

#include <span>
#include <string_view>

namespace agentctl::manager {

struct ShellScript {
  std::string_view shell;  // "bash"
  std::string_view text;
};
[[nodiscard]] std::span<const ShellScript> shell_scripts();

}  // namespace agentctl::manager
