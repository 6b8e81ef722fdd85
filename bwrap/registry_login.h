// SPDX-License-Identifier: Apache-2.0
// Whether the settings of a package manager in a project hold a login, or only say which registries there are. A value
// that names a variable is no login. Sources: npmrc(5), "Auth related configuration"; yarnpkg.com, "yarnrc.yml",
// npmAuthToken and npmAuthIdent.
#pragma once

#include <string_view>

#include "bwrap/paths.h"

namespace agentctl::bwrap {

// By the last name of a path or glob: ".npmrc", ".yarnrc.yml".
[[nodiscard]] bool may_hold_registry_login(std::string_view path);

[[nodiscard]] bool holds_registry_login(std::string_view text);  // pure

// Of a file by its canonical name. What cannot be read counts as a login.
[[nodiscard]] bool holds_registry_login_file(const HostPath& canonical);

}  // namespace agentctl::bwrap
