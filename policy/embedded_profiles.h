// SPDX-License-Identifier: Apache-2.0
// The texts of policy/profiles/*.toml, compiled in under their names ("claude"). profiles.h gives them meaning.
#pragma once

#include "base/embedded_text.h"

namespace agentctl::policy {

[[nodiscard]] std::span<const EmbeddedText> embedded_profiles();

}  // namespace agentctl::policy
