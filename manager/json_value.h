// SPDX-License-Identifier: Apache-2.0
// JsonValue: JSON read back (RFC 8259), for what agentctl itself has written: strict, numbers kept as their text, no
// deeper than 16. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentctl::manager {

struct JsonMember;

struct JsonValue {
  enum class Kind { null, boolean, number, text, list, object };
  Kind kind = Kind::null;
  std::string text;  // a text's content, a number's or boolean's spelling
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;

  // A null value where there is none.
  [[nodiscard]] const JsonValue& operator[](std::string_view key) const;
  [[nodiscard]] std::uint64_t number() const;  // 0 where it is none
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

[[nodiscard]] Result<JsonValue> parse_json(std::string_view text);

}  // namespace agentctl::manager
