// SPDX-License-Identifier: Apache-2.0
// The names that [allow] takes. Each lets the session reach something of the host's, so the list is short; what others
// ask for is refused with the reason. What a name opens is bwrap/opening.h's.
#pragma once

#include <array>
#include <string_view>

#include "base/result.h"

namespace agentctl::policy {

inline constexpr std::array<std::string_view, 3> kSocketNames = {"ssh-agent", "gpg-agent", "wayland"};
inline constexpr std::array<std::string_view, 2> kDeviceNames = {"gpu", "kvm"};

// An entry of 'sockets' or 'devices', after an optional "!". Errors (kind policy) hold only the fault: "is not known".
[[nodiscard]] Result<void> check_socket_name(std::string_view entry);
[[nodiscard]] Result<void> check_device_name(std::string_view entry);

}  // namespace agentctl::policy
