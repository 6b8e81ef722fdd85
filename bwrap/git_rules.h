// SPDX-License-Identifier: Apache-2.0
// The facts about the project's repository, put into a Layout. Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/hidden_from_git.h"
#include "bwrap/host_facts.h"
#include "bwrap/layout.h"

namespace agentctl::bwrap {

// Grants what was proven, as weakly as a built-in rule: any entry of the policy for the same path wins over it. What
// nobody may have writable (the home, our own state) is not granted either, and a warning says so.
void add_git(const HostFacts& facts, Layout& layout, std::vector<std::string>& warnings);

// Settings without which git would fail inside over what is read-only there: it gives up collecting garbage when it
// cannot expire the reflogs of every working tree. git-config(1), "gc.*".
[[nodiscard]] GitSettings git_settings(const HostFacts& facts);

// After arrange(): what is writable of the repository, and what git on the host would use and does not find inside.
void tell_of_git(const HostFacts& facts, const Layout& layout, std::vector<std::string>& warnings);

}  // namespace agentctl::bwrap
