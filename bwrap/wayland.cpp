// SPDX-License-Identifier: Apache-2.0
// The Wayland display: wl_display_connect(3) takes WAYLAND_DISPLAY, a path or a name in XDG_RUNTIME_DIR.
#include "base/text.h"
#include "bwrap/opening.h"
#include "bwrap/path_resolution.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kName = "wayland";
constexpr const char* kVariable = "WAYLAND_DISPLAY";

std::string socket_path(const HostFacts& facts) {
  const std::string display = caller_variable(facts, kVariable);
  const std::string directory = caller_variable(facts, "XDG_RUNTIME_DIR");
  if (display.empty() || display.starts_with('/') || !directory.starts_with('/')) return display;
  return display.find('/') == std::string::npos ? join_path(directory, display) : display;
}

std::vector<std::string> paths(const HostFacts& facts) {
  const std::string socket = socket_path(facts);
  return socket.starts_with('/') ? std::vector<std::string>{socket} : std::vector<std::string>{};
}

Result<void> open(const HostFacts& facts, Layout& layout, Opened& opened) {
  const PathFact* socket = AGENTCTL_TRY(find_socket(facts, kName, kVariable, socket_path(facts), opened));
  if (socket == nullptr) return {};
  const std::string name = "wayland-0";
  layout.want(socket_want(*socket, join_path(runtime_directory(facts.uid), name), kName));
  opened.variables[kVariable] = name;
  opened.variables["XDG_SESSION_TYPE"] = kName;
  opened.warnings.emplace_back(
      "wayland is let in: the session can read and set the clipboard and open windows, and many compositors also let "
      "it "
      "see the screen and type for you");
  return {};
}

}  // namespace

Opening wayland_opening() { return {kName, paths, open}; }

}  // namespace agentctl::bwrap
