// SPDX-License-Identifier: Apache-2.0
// The answer to a request that is done or refused at once: "ok", or the Error in lines ("error …", "hint …"). What a
// stop answers, when everything is gone, is more: see cmd_stop.cpp. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace agentctl::manager {

[[nodiscard]] std::string to_answer(const Result<void>& done);
// An Error of kind system, its text printable whoever said it.
[[nodiscard]] Result<void> parse_answer(std::string_view text);

}  // namespace agentctl::manager
