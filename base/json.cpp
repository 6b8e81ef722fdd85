// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl {

void JsonObject::member(std::string_view key, std::string_view json) {
  members_ += cat(members_.empty() ? "" : ",", json_quote(key), ":", json);
}

JsonObject& JsonObject::text(std::string_view key, std::string_view value) {
  member(key, json_quote(value));
  return *this;
}

JsonObject& JsonObject::number(std::string_view key, std::uint64_t value) {
  member(key, std::to_string(value));
  return *this;
}

JsonObject& JsonObject::optional_number(std::string_view key, const std::optional<std::uint64_t>& value) {
  member(key, value ? std::to_string(*value) : std::string("null"));
  return *this;
}

JsonObject& JsonObject::limit(std::string_view key, const std::optional<std::uint64_t>& value) {
  if (value && *value == kInfinity) return text(key, "infinity");
  return optional_number(key, value);
}

JsonObject& JsonObject::boolean(std::string_view key, bool value) {
  member(key, value ? "true" : "false");
  return *this;
}

JsonObject& JsonObject::list(std::string_view key, const std::vector<std::string>& values) {
  std::string json = "[";
  for (const std::string& value : values) json += cat(json.size() > 1 ? "," : "", json_quote(value));
  member(key, json + "]");
  return *this;
}

JsonObject& JsonObject::raw(std::string_view key, std::string_view json) {
  member(key, json);
  return *this;
}

}  // namespace agentctl
