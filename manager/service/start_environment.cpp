// SPDX-License-Identifier: Apache-2.0
#include "manager/service/start_environment.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace agentctl::manager::service {
namespace {

constexpr std::string_view kOfThisService[] = {"INVOCATION_ID",
                                               "JOURNAL_STREAM",
                                               "MANAGERPID",
                                               "SYSTEMD_EXEC_PID",
                                               "NOTIFY_SOCKET",
                                               "WATCHDOG_PID",
                                               "WATCHDOG_USEC",
                                               "LISTEN_PID",
                                               "LISTEN_FDS",
                                               "LISTEN_FDNAMES",
                                               "LISTEN_PIDFDID",
                                               "MANAGERPIDFDID",
                                               "FDSTORE",
                                               "MEMORY_PRESSURE_WATCH",
                                               "MEMORY_PRESSURE_WRITE",
                                               "DBUS_STARTER_ADDRESS",
                                               "DBUS_STARTER_BUS_TYPE"};
constexpr std::string_view kAsHere[] = {"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"};

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

template <std::size_t N>
bool is_in(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

std::vector<std::string> start_environment(const std::optional<std::vector<std::string>>& managers,
                                           const std::vector<std::string>& own) {
  std::vector<std::string> variables;
  for (const std::string& variable : managers ? *managers : own) {
    const std::string_view name = name_of(variable);
    if (!is_in(kOfThisService, name) && !is_in(kAsHere, name)) variables.push_back(variable);
  }
  for (const std::string& variable : own) {
    if (is_in(kAsHere, name_of(variable))) variables.push_back(variable);
  }
  return variables;
}

}  // namespace agentctl::manager::service
