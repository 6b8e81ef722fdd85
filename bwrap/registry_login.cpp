// SPDX-License-Identifier: Apache-2.0
#include "bwrap/registry_login.h"

#include <algorithm>

#include "base/text.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostBytes = 1U << 18;
constexpr std::string_view kFiles[] = {".npmrc", ".yarnrc.yml"};
// "//registry.example.org/:_authToken = …" in the one, "npmAuthToken: …" in the other; keyfile is a path.
constexpr std::string_view kKeys[] = {"_authtoken", "_auth", "_password", "npmauthtoken", "npmauthident"};
constexpr std::string_view kQuotes = "\"'";

bool names_login(std::string_view key) {
  const std::string name = ascii_lower(trim(key.substr(key.rfind(':') + 1)));
  return std::find(std::begin(kKeys), std::end(kKeys), name) != std::end(kKeys);
}

bool is_literal(std::string_view value) {
  value = trim(value);
  while (!value.empty() && kQuotes.find(value.front()) != std::string_view::npos) value.remove_prefix(1);
  while (!value.empty() && kQuotes.find(value.back()) != std::string_view::npos) value.remove_suffix(1);
  const bool is_variable = value.starts_with("${") && value.find('}') == value.size() - 1;
  return !value.empty() && !is_variable;
}

bool is_login(std::string_view line) {
  line = trim(line);
  if (line.starts_with('#') || line.starts_with(';')) return false;
  const std::size_t equals = line.find('=');
  if (equals != std::string_view::npos && names_login(line.substr(0, equals))) {
    return is_literal(line.substr(equals + 1));
  }
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return false;
  std::string_view key = line.substr(0, colon);
  while (!key.empty() && kQuotes.find(key.front()) != std::string_view::npos) key.remove_prefix(1);
  while (!key.empty() && kQuotes.find(key.back()) != std::string_view::npos) key.remove_suffix(1);
  return names_login(key) && is_literal(line.substr(colon + 1));
}

}  // namespace

bool may_hold_registry_login(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::find(std::begin(kFiles), std::end(kFiles), name) != std::end(kFiles);
}

bool holds_registry_login(std::string_view text) {
  bool found = false;
  for_each_part(text, '\n', [&](std::string_view line) { found = found || is_login(line); });
  return found;
}

bool holds_registry_login_file(const HostPath& canonical) {
  const auto text = read_regular_file(canonical, kMostBytes);
  return !text || holds_registry_login(*text);
}

}  // namespace agentctl::bwrap
