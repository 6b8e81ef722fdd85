// SPDX-License-Identifier: Apache-2.0
// Judgements as text for people, and as JSON. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manager/probe/untried_rows.h"
#include "manager/probe/verdict.h"

namespace agentctl::probe {

// One line an item; what failed with the reason and the remedy; last how many of each there are.
[[nodiscard]] std::string result_table(const std::vector<Judgement>& judgements, bool coloured);
// `target`: what was tried: "sandbox", "session", "against", "self-test".
[[nodiscard]] std::string result_json(const std::vector<Judgement>& judgements, std::string_view target);
// What there is to be tried, and what is not and why.
[[nodiscard]] std::string list_table(const std::vector<Item>& items, const std::vector<UntriedRow>& untried);
[[nodiscard]] std::string list_json(const std::vector<Item>& items, const std::vector<UntriedRow>& untried);

}  // namespace agentctl::probe
