// SPDX-License-Identifier: Apache-2.0
// Calls that act on one session: each runs a verb and answers when that has ended. What the verb has changed is told by
// signals before the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/service/bus_message.h"
#include "manager/service/session_watch.h"
#include "manager/service/verbs.h"

namespace agentctl::manager::service {

inline constexpr const char* kBusName = "org.agentctl.Manager1";
inline constexpr const char* kManagerPath = "/org/agentctl/Manager1";
inline constexpr const char* kManagerInterface = "org.agentctl.Manager1";
inline constexpr const char* kSessionInterface = "org.agentctl.Session1";
[[nodiscard]] std::string session_path(const std::string& id);  // "/org/agentctl/Manager1/session/1a2b3c4d"

// What objects stand on; all of it outlives them.
struct ServiceParts {
  sd_bus* bus;
  SessionWatch& sessions;
  Verbs& verbs;
};

void stop_session(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id,
                  const Options& options);
void set_session_limits(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id,
                        const Options& options);
void freeze_session(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id);
void thaw_session(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id);

// How long a `stop` with these options may take, microseconds. Pure.
[[nodiscard]] std::uint64_t stop_deadline(const Options& options);

}  // namespace agentctl::manager::service
