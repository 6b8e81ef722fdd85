// SPDX-License-Identifier: Apache-2.0
// What a read-only home hides: known places of keys, logins, histories and other agents' state, whatever in the home or
// in ~/.config has the name of a secret, and files of such a name in each dot-directory of the home and directory of
// ~/.config. To look deeper would take longer than the rest of a start. A list is never complete: a secret of another
// name, or one in another project, can be read in such a home. A private home needs no list.
#pragma once

#include <string_view>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

// By the last name of a path alone: "credentials", ".my_token", "id_rsa", "server.pem". Pure.
[[nodiscard]] bool has_name_of_a_secret(std::string_view name);

// Reads those directories, of 5,000 names at most. Of known places also those that are not there, since they may come
// to be; without what the user has taken out.
[[nodiscard]] std::vector<PathFact> list_home_secrets(const policy::FileSettings& files, const HostFacts& facts,
                                                      PathResolver& resolver);

// What the policy itself names stays as it says; so does what the project lies in. Pure.
void hide_home_secrets(const HostFacts& facts, Layout& layout);

}  // namespace agentctl::bwrap
