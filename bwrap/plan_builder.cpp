// SPDX-License-Identifier: Apache-2.0
#include "bwrap/plan_builder.h"

#include <utility>

#include "base/text.h"

namespace agentctl::bwrap {

Result<Plan> build_plan(const policy::Policy& policy, const HostFacts& facts) {
  if (facts.project.canonical.str() == "/") {
    return make_error(ErrorKind::policy, "refused to use '/' as the project");
  }
  Plan plan;
  plan.share_network = policy.network.has_value() && policy.network->value == policy::NetworkMode::host;
  plan.command = facts.command.words;
  plan.program = SandboxPath(facts.command.program.path.str());
  plan.working_directory = SandboxPath(facts.project.logical.str());
  plan.bwrap = facts.bwrap.path;
  plan.has_bind_fd = facts.bwrap.has_bind_fd;
  return plan;
}

}  // namespace agentctl::bwrap
