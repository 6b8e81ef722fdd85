// SPDX-License-Identifier: Apache-2.0
#include "manager/limit_use.h"

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::manager {

Result<void> check_use(const LimitChange& change, const units::CgroupUsage& usage) {
  if (!change.memory_max || !usage.memory || *usage.memory <= *change.memory_max) return {};
  return make_error(ErrorKind::system,
                    cat("memory-max of ", format_size(*change.memory_max), " is below the ", format_size(*usage.memory),
                        " in use: the kernel may kill its processes"),
                    "to do it all the same: --force");
}

std::vector<std::string> describe_use(const LimitChange& change, const units::CgroupUsage& usage) {
  std::vector<std::string> lines;
  if (change.tasks_max && usage.tasks && *usage.tasks >= *change.tasks_max) {
    lines.push_back(cat("it has ", *usage.tasks, " tasks: no further one starts until fewer than ", *change.tasks_max,
                        " are left"));
  }
  if (change.memory_high && usage.memory && *usage.memory > *change.memory_high) {
    lines.push_back(cat("memory-high of ", format_size(*change.memory_high), " is below the ",
                        format_size(*usage.memory), " in use: it is slowed down"));
  }
  return lines;
}

}  // namespace agentctl::manager
