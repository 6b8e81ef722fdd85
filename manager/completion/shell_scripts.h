// SPDX-License-Identifier: Apache-2.0
// The scripts of packaging/completions, compiled in under their shells' names ("bash"): what `agentctl completion`
// prints is what is installed.
#pragma once

#include "base/embedded_text.h"

namespace agentctl::manager {

[[nodiscard]] std::span<const EmbeddedText> shell_scripts();

}  // namespace agentctl::manager
