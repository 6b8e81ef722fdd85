// SPDX-License-Identifier: Apache-2.0
// The inside of a ScopeBroker: what its process does from the fork to its end.
#pragma once

namespace agentctl::units {

[[noreturn]] void run_broker(int socket);

}  // namespace agentctl::units
