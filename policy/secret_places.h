// SPDX-License-Identifier: Apache-2.0
// Where keys, logins, histories and the state of other agents lie in a home. What is in no list of a policy is not in a
// private home anyway; a read-only home hides these, and none of them becomes a project. `"!~/.ssh"` in hide takes one
// out. A list is never complete.
#pragma once

#include <span>
#include <string_view>

namespace agentctl::policy {

[[nodiscard]] std::span<const std::string_view> secret_places();  // below the home: ".ssh", ".config/gh"
[[nodiscard]] bool is_secret_place(std::string_view path);        // a normal path (entry.h): "~/.ssh"
[[nodiscard]] bool is_agent_state(std::string_view place);        // of the first kind: ".claude"

}  // namespace agentctl::policy
