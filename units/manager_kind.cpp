// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "base/text.h"
#include "units/manager_connection.h"

namespace agentctl::units {
namespace {

constexpr std::array<std::pair<ManagerKind, const char*>, 4> kNames = {{{ManagerKind::automatic, "auto"},
                                                                        {ManagerKind::user, "user"},
                                                                        {ManagerKind::system, "system"},
                                                                        {ManagerKind::private_manager, "private"}}};

}  // namespace

const char* to_string(ManagerKind kind) {
  for (const auto& [value, name] : kNames) {
    if (value == kind) return name;
  }
  return "unknown";
}

Result<ManagerKind> parse_manager_kind(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) return value;
  }
  return make_error(ErrorKind::usage, cat("'", printable(text), "' is not a manager"),
                    "managers are auto, user, system and private");
}

}  // namespace agentctl::units
