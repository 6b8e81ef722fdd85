// SPDX-License-Identifier: Apache-2.0
#include "manager/outer_session.h"

#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/plan_builder.h"
#include "units/unit_name.h"

namespace agentctl::manager {

bool is_below_session(std::string_view variable, std::string_view proc_cgroup) {
  return variable == "1" && proc_cgroup.find(cat("/", units::kSlice, "/")) != std::string_view::npos;
}

bool is_inside_session() {
  if (::access(bwrap::kStagePath, F_OK) == 0) return true;
  const char* const variable = ::getenv("AGENTCTL");
  if (variable == nullptr) return false;
  const auto cgroups = read_file("/proc/self/cgroup");
  return cgroups && is_below_session(variable, *cgroups);
}

Result<void> check_no_outer_session() {
  if (!is_inside_session()) return {};
  return make_error(ErrorKind::policy, "cannot start a session inside a session",
                    "start it from outside; what runs here has the limits of the session it is in");
}

}  // namespace agentctl::manager
