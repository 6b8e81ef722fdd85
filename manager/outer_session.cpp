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

Result<void> check_no_outer_session() {
  const char* const variable = ::getenv("AGENTCTL");
  bool is_inside = ::access(bwrap::kStagePath, F_OK) == 0;
  if (!is_inside && variable != nullptr) {
    const auto cgroups = read_file("/proc/self/cgroup");
    is_inside = cgroups && is_below_session(variable, *cgroups);
  }
  if (!is_inside) return {};
  return make_error(ErrorKind::policy, "cannot start a session inside a session",
                    "start it from outside; what runs here has the limits of the session it is in");
}

}  // namespace agentctl::manager
