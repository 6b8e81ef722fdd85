// SPDX-License-Identifier: Apache-2.0
// The inside of a ScopeBroker: what its process does from the fork to its end. While a session starts it outlives its
// owner by a moment: bwrap ties the process inside to the one outside only some time after making it, so an owner
// killed just then would leave one that waits for ever. The broker, in the same scope, ends it.
#pragma once

namespace agentctl::units {

[[noreturn]] void run_broker(int socket);

}  // namespace agentctl::units
