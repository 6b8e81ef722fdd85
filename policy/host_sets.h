// SPDX-License-Identifier: Apache-2.0
// HostSets: hosts that belong together, under one name, as an entry of [network] allow and deny: "@packages". An entry
// that is one stands for its hosts from the moment that it is read, so that "!github.com" in a later layer takes one
// out of it. Pure. What they do not protect against: what can be left at a host that belongs to everybody.
//   @git        git hosts, over HTTPS and ssh
//   @packages   registries: npm, Python, Rust, Go, Ruby, Java, PHP, .NET, Erlang
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agentctl::policy {

// Whether the entry names a set, after an optional "!", be there such a one or not.
[[nodiscard]] bool is_host_set(std::string_view entry);
[[nodiscard]] bool is_known_host_set(std::string_view entry);
[[nodiscard]] std::string known_host_sets();  // for messages: "@git and @packages"

[[nodiscard]] bool is_in_host_set(std::string_view host);  // as it stands there

// The entries for which it stands, each with its "!"; itself where it names no set.
[[nodiscard]] std::vector<std::string> opened_host_set(std::string_view entry);

}  // namespace agentctl::policy
