// SPDX-License-Identifier: Apache-2.0
// The lists of [network] allow and deny: how the entries of a later layer join those of earlier ones, and what a
// project may not do by them. Two spellings of one rule are one entry ("Example.com", "example.com"); "!HOST" takes one
// out, "!*" all that earlier layers have; in one list nothing can be both added and taken out. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {

// "example.com:443" for "Example.com:443" and for "!example.com:443"; what is no rule, as it is.
[[nodiscard]] std::string normal_host(std::string_view entry);
[[nodiscard]] const Entry* find_host(const Entries& hosts, std::string_view entry);

// `list` is "allow" or "deny". An "!HOST" that takes nothing out of a list that has something is a mistake; "!*" never
// is.
void merge_hosts(Entries& hosts, const Entries& later, std::string_view list, std::vector<Diagnostic>& mistakes);

// What a session reaches: its agent and the commands that this runs are in one network.
[[nodiscard]] Entries all_allowed(const HostSettings& hosts);

// The entry of `allow` that may open what the mode nat closes: an address that is not of the public internet, or a
// range, which may hold such. None: the mode allowlist is narrower than nat.
[[nodiscard]] const Entry* find_opened_beyond_nat(const Entries& allow);

}  // namespace agentctl::policy
