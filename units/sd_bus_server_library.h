// SPDX-License-Identifier: Apache-2.0
// The part of libsystemd that only a service needs, which answers calls itself: looked up beside sd_bus_library.h, by
// the login-session service alone, so that a start pays for none of it.
#pragma once

#include <systemd/sd-bus.h>

#include "base/result.h"

namespace agentctl::units {

#define AGENTCTL_SD_BUS_SERVER_SYMBOLS(X) \
  X(sd_bus_get_fd)                        \
  X(sd_bus_get_events)                    \
  X(sd_bus_get_timeout)                   \
  X(sd_bus_add_match_async)               \
  X(sd_bus_add_object_manager)            \
  X(sd_bus_add_object_vtable)             \
  X(sd_bus_emit_object_added)             \
  X(sd_bus_emit_object_removed)           \
  X(sd_bus_emit_properties_changed_strv)  \
  X(sd_bus_message_append_strv)           \
  X(sd_bus_message_at_end)                \
  X(sd_bus_message_exit_container)        \
  X(sd_bus_message_new_method_return)     \
  X(sd_bus_message_peek_type)             \
  X(sd_bus_message_set_auto_start)        \
  X(sd_bus_message_skip)                  \
  X(sd_bus_reply_method_errorf)           \
  X(sd_bus_object_vtable_format)

struct SdBusServerLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define AGENTCTL_POINTER(name) decltype(&::name) name = nullptr;
  AGENTCTL_SD_BUS_SERVER_SYMBOLS(AGENTCTL_POINTER)
#undef AGENTCTL_POINTER
};

// After load_sd_bus(). Kind environment when the library is too old.
[[nodiscard]] Result<void> load_sd_bus_server();

// After load_sd_bus_server() has succeeded once.
[[nodiscard]] const SdBusServerLibrary& sd_bus_server_library();

}  // namespace agentctl::units
