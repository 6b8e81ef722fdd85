// SPDX-License-Identifier: Apache-2.0
// What StartTransientUnit and SetUnitProperties are told, as names and values (systemd.scope(5),
// systemd.resource-control(5); wire types of org.freedesktop.systemd1(5)). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "units/scope_manager.h"

namespace agentctl::units {

using PidList = std::vector<std::uint32_t>;  // "au"
struct PidfdList {                           // "ah"; the descriptors stay their owner's
  std::vector<int> fds;
  friend bool operator==(const PidfdList&, const PidfdList&) = default;
};

using NameList = std::vector<std::string>;  // "as"
struct ServiceCommand {                     // "a(sasb)"; the program is argv[0], by its path
  std::vector<std::string> argv;
  friend bool operator==(const ServiceCommand&, const ServiceCommand&) = default;
};
struct PassedFd {  // "h"; it stays its owner's
  int fd = -1;
  friend bool operator==(const PassedFd&, const PassedFd&) = default;
};

struct ScopeProperty {
  std::string name;
  std::variant<std::uint64_t, std::string, PidList, PidfdList, NameList, ServiceCommand, PassedFd> value;
  bool optional = false;  // a version that does not know it may go without
  friend bool operator==(const ScopeProperty&, const ScopeProperty&) = default;
};

inline constexpr int kFirstVersionWithPidfds = 255;

// What can be set on a running scope too.
[[nodiscard]] std::vector<ScopeProperty> limit_properties(const ScopeLimits& limits);
[[nodiscard]] std::vector<ScopeProperty> slice_properties(const SliceLimits& limits);
// All but the processes, optional ones last.
[[nodiscard]] std::vector<ScopeProperty> scope_properties(const ScopeRequest& request);

// 252 of "252.39-1~deb12u2", 262 of "262-1"; 0 when there is no leading number.
[[nodiscard]] int parse_manager_version(std::string_view text);

// X of "Cannot set property X, or unknown property."; "" when the text is another.
[[nodiscard]] std::string find_refused_property(std::string_view message);

// Takes the property that a manager has refused off the list and returns its name, or "" when it must not be dropped. A
// message that names none costs the last optional one.
[[nodiscard]] std::string drop_refused(std::vector<ScopeProperty>& properties, std::string_view message);

}  // namespace agentctl::units
