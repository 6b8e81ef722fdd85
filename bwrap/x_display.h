// SPDX-License-Identifier: Apache-2.0
// The abstract socket of an X display. It belongs to the network namespace, so no mount keeps a session that shares the
// network from it; whether the X server lets it in is up to the server's access list (xhost(1)), which often has the
// user. X(7), "Display names".
#pragma once

#include <string>
#include <string_view>

namespace agentctl::bwrap {

// "@/tmp/.X11-unix/X0" for ":0", ":0.1" and "unix:0"; "" for a display on another machine, or none. Pure.
[[nodiscard]] std::string x_socket_name(std::string_view display);
// Whether the text of /proc/net/unix has a socket of this name. Pure.
[[nodiscard]] bool lists_socket(std::string_view proc_net_unix, std::string_view name);
// The name, when somebody listens there; else "".
[[nodiscard]] std::string find_x_socket(std::string_view display);

}  // namespace agentctl::bwrap
