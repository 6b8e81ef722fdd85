// SPDX-License-Identifier: Apache-2.0
// The properties of org.agentctl.Session1, each read from a SessionView: the same things, in the same units and under
// the same keys as in `status --json`. Sizes are bytes, times microseconds; UINT64_MAX is "infinity", as on systemd's
// bus. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "manager/session_view.h"

namespace agentctl::manager::service {

using Dictionary = std::vector<std::pair<std::string, std::variant<std::uint64_t, std::string>>>;  // "a{sv}"
using PropertyValue = std::variant<std::string, std::vector<std::string>, std::uint32_t, std::uint64_t, Dictionary>;

// Whether PropertiesChanged tells of it (org.freedesktop.DBus.Property.EmitsChangedSignal).
enum class Emits { constant, changes, nothing };

struct SessionProperty {
  const char* name;
  const char* signature;
  Emits emits;
  bool live;  // of the kernel's files at the moment of the question
  PropertyValue (*read)(const SessionView& view);
};

[[nodiscard]] std::span<const SessionProperty> session_properties();
[[nodiscard]] const SessionProperty* find_property(std::string_view name);

// Names of those that PropertiesChanged must tell of.
[[nodiscard]] std::vector<const char*> changed_properties(const SessionView& before, const SessionView& now);

// As text can travel on D-Bus: what is no UTF-8 in it is U+FFFD (D-Bus specification, "Valid UTF-8").
[[nodiscard]] std::string bus_text(std::string_view text);

}  // namespace agentctl::manager::service
