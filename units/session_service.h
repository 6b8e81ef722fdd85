// SPDX-License-Identifier: Apache-2.0
// SessionService: the transient service that runs the supervisor of a detached session (systemd.service(5),
// systemd.exec(5)). A service, since what outlives its starter must be somebody's: the service manager starts it, gives
// it its standard error (the journal), and ends it at the user's logout or at shutdown. What the session is made of is
// not in its properties, which everybody on the bus can read, but comes through `standard_input`.
#pragma once

#include <string>
#include <vector>

#include "units/scope_properties.h"

namespace agentctl::units {

struct SessionService {
  std::string unit;               // "agentctl-session-1a2b3c4d.service"
  std::string slice;              // "": the manager's default
  std::string description;        // already printable
  std::vector<std::string> argv;  // argv[0]: the program, an absolute path
  PassedFd standard_input;        // a socket; the service manager gets a copy
};

[[nodiscard]] std::vector<ScopeProperty> service_properties(const SessionService& service);

}  // namespace agentctl::units
