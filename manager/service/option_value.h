// SPDX-License-Identifier: Apache-2.0
// OptionValue: one entry of an a{sv} as it came over the bus, before anybody has judged it.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace agentctl::manager::service {

struct OtherType {  // a type that no option has
  std::string signature;
  friend bool operator==(const OtherType&, const OtherType&) = default;
};

using OptionValue = std::variant<std::string, std::vector<std::string>, bool, OtherType>;
using Options = std::vector<std::pair<std::string, OptionValue>>;  // in the caller's order; a key may be there twice

// Its D-Bus signature: "s", "as", "b", or what it is.
[[nodiscard]] std::string signature_of(const OptionValue& value);

}  // namespace agentctl::manager::service
