// SPDX-License-Identifier: Apache-2.0
#include "bwrap/x_display.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::bwrap {

std::string x_socket_name(std::string_view display) {
  const std::size_t colon = display.rfind(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view host = display.substr(0, colon);
  if (!host.empty() && host != "unix" && host != "local/" && host != "unix/") return {};
  std::string_view number = display.substr(colon + 1);
  number = number.substr(0, number.find('.'));
  const bool is_number = !number.empty() && std::all_of(number.begin(), number.end(),
                                                        [](char letter) { return letter >= '0' && letter <= '9'; });
  return is_number ? cat("@/tmp/.X11-unix/X", number) : std::string();
}

bool lists_socket(std::string_view proc_net_unix, std::string_view name) {
  const std::string ending = cat(" ", name);
  const std::vector<std::string> lines = split(proc_net_unix, '\n');
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.ends_with(ending); });
}

std::string find_x_socket(std::string_view display) {
  std::string name = x_socket_name(display);
  if (name.empty()) return {};
  const auto sockets = read_file("/proc/net/unix", 16U << 20);
  return sockets && lists_socket(*sockets, name) ? name : std::string();
}

}  // namespace agentctl::bwrap
