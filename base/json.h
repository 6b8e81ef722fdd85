// SPDX-License-Identifier: Apache-2.0
// JSON, written only, member by member in the order given. Numbers are unsigned; infinity and absence are spelled out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentctl {

class JsonObject {
 public:
  JsonObject& text(std::string_view key, std::string_view value);
  JsonObject& number(std::string_view key, std::uint64_t value);
  JsonObject& optional_number(std::string_view key, const std::optional<std::uint64_t>& value);  // null when absent
  JsonObject& limit(std::string_view key, const std::optional<std::uint64_t>& value);            // "infinity" too
  JsonObject& boolean(std::string_view key, bool value);
  JsonObject& list(std::string_view key, const std::vector<std::string>& values);
  JsonObject& raw(std::string_view key, std::string_view json);  // an object made elsewhere
  [[nodiscard]] std::string str() const { return "{" + members_ + "}"; }

 private:
  void member(std::string_view key, std::string_view json);
  std::string members_;
};

}  // namespace agentctl
