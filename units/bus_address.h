// SPDX-License-Identifier: Apache-2.0
// Where a service manager listens. Only sockets of the wanted user count, by their owner and again by the credentials
// of the peer (unix(7), SO_PEERCRED): after `su` or `sudo` the variables may still name another user's.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::units {

struct BusAddress {
  std::string socket;       // a path, or "@name" in the abstract namespace
  bool message_bus = true;  // a bus daemon; false: the manager's own socket
  friend bool operator==(const BusAddress&, const BusAddress&) = default;
};

struct AddressSources {
  std::optional<std::string> bus_address;  // $DBUS_SESSION_BUS_ADDRESS
  std::optional<std::string> runtime_dir;  // $XDG_RUNTIME_DIR
  uid_t user = 0;
};
[[nodiscard]] AddressSources read_address_sources();

// In the order to try: the bus, which is systemd's documented way, then the manager's own socket, which is there
// without a bus daemon too. They take equally long: a start is 0.5 ms shorter without the daemon, but connecting as
// much longer. Pure.
[[nodiscard]] std::vector<BusAddress> user_addresses(const AddressSources& sources);
[[nodiscard]] std::vector<BusAddress> system_addresses();
// The sockets that a D-Bus address names ("unix:path=/run/user/1000/bus,guid=…;unix:abstract=x"). Pure.
[[nodiscard]] std::vector<std::string> parse_bus_address(const std::string& address, const std::string& runtime_dir);

struct ManagerSocket {
  UniqueFd fd;
  pid_t peer = 0;  // 0: it is in a pid namespace that we do not see
};
[[nodiscard]] Result<ManagerSocket> connect_socket(const std::string& socket, uid_t owner, unsigned msec);

// Whether numbers of processes mean the same to us and to `peer`, from the text of its /proc/PID/status (NSpid). Pure.
[[nodiscard]] bool shares_pid_namespace(const std::string& status_text);

}  // namespace agentctl::units
