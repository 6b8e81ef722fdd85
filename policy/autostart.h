// SPDX-License-Identifier: Apache-2.0
// [[autostart]]: sessions that the login-session service starts once in the life of the user's service manager. They
// stand in the user's own policy only: nobody else decides what runs at a login. Pure; whether the directory is there,
// and the profile known, is found out at that start.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {

[[nodiscard]] std::span<const std::string_view> autostart_keys();  // "project", "profile", "name"

// Errors (kind policy) start with the key: "'project' must …".
[[nodiscard]] Result<void> assign_autostart(Autostart& entry, std::string_view key, std::string_view text);

// The one that would start the same session again, or one of the same name; or null.
[[nodiscard]] const Autostart* find_same(const std::vector<Autostart>& entries, const Autostart& entry);

// For a file that must not speak of it: a mistake for each entry.
void refuse_autostart(ReadOutcome& outcome);

// What the user's own file says; none where it is absent. All mistakes of the file are one Error of kind policy.
[[nodiscard]] Result<std::vector<Autostart>> load_autostart(const std::string& path);

}  // namespace agentctl::policy
