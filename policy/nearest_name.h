// SPDX-License-Identifier: Apache-2.0
// Which known name somebody probably meant. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace agentctl::policy {

// The name in `known` with the fewest edits (insert, delete, replace, swap two neighbours) from `word`, where '_' and
// '-' count as equal and case does not count, or the only name that begins with `word`; empty when even that one is too
// far away to be a slip.
[[nodiscard]] std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known);

// "; did you mean 'memory-max'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace agentctl::policy
