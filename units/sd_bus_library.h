// SPDX-License-Identifier: Apache-2.0
// libsystemd, loaded when it is first needed: linked at start-up its dependencies would cost every run of the program a
// few milliseconds, and `status` or `stop` of a session need no bus. The functions carry the types of the headers that
// we were built with; their ABI has been stable since systemd 246, the oldest that has all of them. Never unloaded.
#pragma once

#include <systemd/sd-bus.h>

#include "base/result.h"

namespace agentctl::units {

inline constexpr const char* kSdBusSoname = "libsystemd.so.0";

#define AGENTCTL_SD_BUS_FUNCTIONS(X) \
  X(sd_bus_new)                      \
  X(sd_bus_set_fd)                   \
  X(sd_bus_set_bus_client)           \
  X(sd_bus_negotiate_fds)            \
  X(sd_bus_start)                    \
  X(sd_bus_close)                    \
  X(sd_bus_unref)                    \
  X(sd_bus_process)                  \
  X(sd_bus_wait)                     \
  X(sd_bus_match_signal_async)       \
  X(sd_bus_slot_unref)               \
  X(sd_bus_call_async)               \
  X(sd_bus_send)                     \
  X(sd_bus_path_encode)              \
  X(sd_bus_message_new_method_call)  \
  X(sd_bus_message_set_expect_reply) \
  X(sd_bus_message_append)           \
  X(sd_bus_message_open_container)   \
  X(sd_bus_message_close_container)  \
  X(sd_bus_message_enter_container)  \
  X(sd_bus_message_read)             \
  X(sd_bus_message_get_error)        \
  X(sd_bus_message_ref)              \
  X(sd_bus_message_unref)

struct SdBusLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define AGENTCTL_POINTER(name) decltype(&::name) name = nullptr;
  AGENTCTL_SD_BUS_FUNCTIONS(AGENTCTL_POINTER)
#undef AGENTCTL_POINTER
};

// Kind environment, naming the package, when the library or one of its functions is missing.
[[nodiscard]] Result<const SdBusLibrary*> load_sd_bus();

// Unmaps it again; no connection may be open. load_sd_bus() may follow.
void unload_sd_bus();

// After load_sd_bus() has succeeded once.
[[nodiscard]] const SdBusLibrary& sd_bus_library();

}  // namespace agentctl::units
