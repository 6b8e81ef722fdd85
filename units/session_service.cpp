// SPDX-License-Identifier: Apache-2.0
#include "units/session_service.h"

#include <cstdint>

namespace agentctl::units {
namespace {

// Between TERM and KILL: more than the agent's grace, the proof of the end and the receipt take together.
constexpr std::uint64_t kTimeoutStopUsec = 25'000'000;

}  // namespace

std::vector<ScopeProperty> service_properties(const SessionService& service) {
  std::vector<ScopeProperty> properties = {
      {"Description", service.description},
      {"Type", std::string("exec")},  // the job is done only once the program is executing
      {"ExecStart", ServiceCommand{service.argv}},
      {"StandardInputFileDescriptor", service.standard_input},
      {"StandardOutput", std::string("null")},
      {"StandardError", std::string("journal")},
      {"SyslogIdentifier", std::string("agentctl")},
      {"CollectMode", std::string("inactive-or-failed")},
      // TERM to the supervisor alone, which ends the session in its own way; then KILL to whatever is left.
      {"KillMode", std::string("mixed")},
      {"TimeoutStopUSec", kTimeoutStopUsec},
      {"OOMPolicy", std::string("continue")},
  };
  if (!service.slice.empty()) properties.push_back({"Slice", service.slice});
  return properties;
}

}  // namespace agentctl::units
