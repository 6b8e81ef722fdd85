// SPDX-License-Identifier: Apache-2.0
// Punycode (RFC 3492): how a label of a host name spells letters beyond ASCII. Only reading, and only to tell whether a
// label is what it claims: names are compared and asked for as they are written, never in letters. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace agentctl::policy {

// The code points that stand behind "xn--"; nothing where the text is no punycode, spells what Unicode does not have,
// or spells only ASCII, for which nobody needs it.
[[nodiscard]] std::optional<std::vector<char32_t>> decode_punycode(std::string_view text);

}  // namespace agentctl::policy
