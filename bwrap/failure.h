// SPDX-License-Identifier: Apache-2.0
// What bwrap's own complaint means, and what the user can do about it. Unknown text is passed on as it is, not guessed
// at.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace agentctl::bwrap {

// What the kernel's switches say; read only once something has failed.
struct NamespaceSwitches {
  std::string apparmor_restricts;   // kernel.apparmor_restrict_unprivileged_userns, "" when absent
  std::string userns_clone;         // kernel.unprivileged_userns_clone (Debian)
  std::string max_user_namespaces;  // user.max_user_namespaces
  bool in_container = false;
};
[[nodiscard]] NamespaceSwitches read_namespace_switches();

// Pure. `output` is what bwrap wrote before it ended.
[[nodiscard]] Error explain_failure(std::string_view output, const NamespaceSwitches& switches);

}  // namespace agentctl::bwrap
