// SPDX-License-Identifier: Apache-2.0
#include "units/unit_name.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::units {

std::string scope_name(std::string_view session_id) { return cat("app-agentctl-", session_id, ".scope"); }

bool is_session_id(std::string_view text) {
  return text.size() == 8 && std::all_of(text.begin(), text.end(), [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

}  // namespace agentctl::units
