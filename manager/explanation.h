// SPDX-License-Identifier: Apache-2.0
// What `explain` says, as text for people and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/path_answer.h"
#include "bwrap/plan.h"
#include "policy/policy.h"
#include "policy/rule_list.h"

namespace agentctl::manager {

struct ExplainedStart {
  std::string profile;
  std::string project;
  std::vector<std::string> command;
  std::vector<std::string> warnings;
};
[[nodiscard]] std::string policy_text(const ExplainedStart& start, const std::vector<policy::Rule>& rules);
[[nodiscard]] std::string policy_json(const ExplainedStart& start, const std::vector<policy::Rule>& rules);

[[nodiscard]] std::string path_text(const std::string& path, const bwrap::PathAnswer& answer);
[[nodiscard]] std::string path_json(const std::string& path, const bwrap::PathAnswer& answer);

struct HostAnswer {
  bool reachable = false;
  std::string rule;
  std::string why;
};
[[nodiscard]] HostAnswer explain_host(const policy::Policy& policy);
[[nodiscard]] std::string host_text(const std::string& host, const HostAnswer& answer);
[[nodiscard]] std::string host_json(const std::string& host, const HostAnswer& answer);

// "/x", "~/x", "./x" and what has a slash are paths; of the rest what looks like "example.org", "10.0.0.1:80" or
// "localhost" is a host.
[[nodiscard]] bool is_host(const std::string& subject);

}  // namespace agentctl::manager
