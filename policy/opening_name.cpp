// SPDX-License-Identifier: Apache-2.0
#include "policy/opening_name.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "policy/entry.h"
#include "policy/nearest_name.h"

namespace agentctl::policy {
namespace {

struct Refusal {
  std::string_view name;
  std::string_view reason;
};

constexpr std::string_view kIsRoot = "whoever reaches it is root on the host";
constexpr std::string_view kRunsPrograms = "whoever reaches it has the host run programs";
constexpr std::string_view kIsX =
    "every program on it can read all keys and type into all windows; 'wayland' is offered";
constexpr std::string_view kIsSound = "it holds the microphone, and its daemon loads modules by request";

constexpr Refusal kRefusedSockets[] = {
    {"docker", kIsRoot},
    {"podman", kRunsPrograms},
    {"containerd", kIsRoot},
    {"libvirt", kIsRoot},
    {"lxd", kIsRoot},
    {"incus", kIsRoot},
    {"dbus", kRunsPrograms},
    {"session-bus", kRunsPrograms},
    {"systemd", kRunsPrograms},
    {"system-bus", kRunsPrograms},
    {"tmux", kRunsPrograms},
    {"x11", kIsX},
    {"x", kIsX},
    {"pulseaudio", kIsSound},
    {"pipewire", kIsSound},
    {"keyring", "any secret in it is one call away"},
};
constexpr Refusal kRefusedDevices[] = {
    {"all", "that is the machine: name what is needed"},
    {"fuse", "nothing inside may mount"},
    {"sound", "it holds the microphone"},
    {"audio", "it holds the microphone"},
    {"camera", "it looks into the room"},
    {"video", "it looks into the room"},
    {"input", "it holds every key that you type"},
    {"usb", "a device there may be a key, a disk or a keyboard"},
    {"vsock", "it reaches past every network wall"},
    {"disk", "it holds every file, past every wall"},
};

Result<void> check_name(std::string_view entry, std::span<const std::string_view> known,
                        std::span<const Refusal> refused) {
  const std::string_view name = without_mark(entry);
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  for (const Refusal& refusal : refused) {
    if (refusal.name == name) return make_error(ErrorKind::policy, cat("is not offered: ", refusal.reason));
  }
  const std::string meant = did_you_mean(name, known);
  if (!meant.empty()) return make_error(ErrorKind::policy, cat("is not known", meant));
  const std::vector<std::string> names(known.begin(), known.end());
  return make_error(ErrorKind::policy, cat("is not known; there are ", join(names, ", ")));
}

}  // namespace

Result<void> check_socket_name(std::string_view entry) { return check_name(entry, kSocketNames, kRefusedSockets); }
Result<void> check_device_name(std::string_view entry) { return check_name(entry, kDeviceNames, kRefusedDevices); }

}  // namespace agentctl::policy
