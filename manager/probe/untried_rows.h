// SPDX-License-Identifier: Apache-2.0
// Rows of the catalogue of attacks (its classes A to E and H) that have no item, each with the reason and where else it
// is tested. Pure data.
#pragma once

#include <string_view>
#include <vector>

namespace agentctl::probe {

struct UntriedRow {
  std::string_view row;     // "E4"
  std::string_view attack;  // what it is
  std::string_view reason;  // why no attempt from inside can show it
  std::string_view test;    // of this repository; "" where it is no wall of ours
};

[[nodiscard]] const std::vector<UntriedRow>& untried_rows();

}  // namespace agentctl::probe
