// SPDX-License-Identifier: Apache-2.0
// One entry of [files] held against the facts of the host. Pure. Errors are of kind policy and name the entry.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

[[nodiscard]] Error refuse_entry(const policy::Entry& entry, std::string_view why, std::string hint = {});

// The same for what nothing can be made of, wherever it was written: of kind usage where it was typed.
[[nodiscard]] Error refuse_value(const policy::Entry& entry, std::string_view why, std::string hint = {});

[[nodiscard]] std::string expand_entry(const policy::Entry& entry, const HostFacts& facts);

// "a/../b": what it means depends on whether "a" is a link.
[[nodiscard]] Result<void> check_entry_text(const policy::Entry& entry);

// Refuses what ends where no rule has a place: "/", and what is made anew or is ours.
[[nodiscard]] Result<void> check_entry_place(const policy::Entry& entry, const PathFact& fact);

// Of a plain path, checked as above.
[[nodiscard]] Result<const PathFact*> find_entry_fact(const policy::Entry& entry, const HostFacts& facts);

}  // namespace agentctl::bwrap
