// SPDX-License-Identifier: Apache-2.0
// Properties as a D-Bus message carries them: a(sv).
#pragma once

#include <vector>

#include "base/result.h"
#include "units/bus.h"
#include "units/scope_properties.h"

namespace agentctl::units {

// Appends the array "a(sv)" of `properties` and, when `processes` is given, of that too.
[[nodiscard]] Result<void> append_properties(const MessagePtr& message, const std::vector<ScopeProperty>& properties,
                                             const ScopeProperty* processes = nullptr);

}  // namespace agentctl::units
