// SPDX-License-Identifier: Apache-2.0
// The projects whose own policy file may widen the sandbox, each with the content for which that was said. A list is
// kept as TOML in the few forms that we write: comments, the table [trusted], and "DIRECTORY" = "SHA-256". Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentctl::policy {

struct TrustedProject {
  std::string directory;  // canonical
  std::string sha256;     // of its .agentctl.toml, 64 lower-case digits
};
using TrustList = std::vector<TrustedProject>;

// Errors (kind policy) name `source` and the line.
[[nodiscard]] Result<TrustList> parse_trust_list(std::string_view text, std::string_view source);
[[nodiscard]] std::string render_trust_list(const TrustList& list);

[[nodiscard]] const TrustedProject* find_trusted(const TrustList& list, std::string_view directory);
// Replaces what was said of that directory. Errors: a path with bytes that the list
// cannot hold, such as those that are not UTF-8.
[[nodiscard]] Result<void> add_trusted(TrustList& list, TrustedProject project);
[[nodiscard]] bool remove_trusted(TrustList& list, std::string_view directory);  // whether it was there

}  // namespace agentctl::policy
