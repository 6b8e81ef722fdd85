// SPDX-License-Identifier: Apache-2.0
// What a ScopeBroker and its owner say to each other, as lists of words, which one message carries NUL-separated. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "units/scope_manager.h"

namespace agentctl::units {

using Words = std::vector<std::string>;

[[nodiscard]] std::string join_words(const Words& words);
[[nodiscard]] Words split_words(std::string_view text);

[[nodiscard]] Words to_words(const ScopeRequest& request);
[[nodiscard]] Result<ScopeRequest> parse_scope_request(const Words& words);
struct SliceRequest {
  std::string slice;
  SliceLimits limits;
};
[[nodiscard]] Words to_words(const SliceRequest& request);
[[nodiscard]] Result<SliceRequest> parse_slice_request(const Words& words);
[[nodiscard]] Words to_words(const ScopeStarted& started);
[[nodiscard]] Result<ScopeStarted> parse_scope_started(const Words& words);
[[nodiscard]] Words to_words(const Error& error);
[[nodiscard]] Error parse_error(const Words& words);

}  // namespace agentctl::units
