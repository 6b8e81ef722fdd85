// SPDX-License-Identifier: Apache-2.0
// What `explain` says, as text for people and as JSON. Pure.
#pragma once

#include <optional>
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

struct ExplainedPath {
  std::string path;  // absolute
  bwrap::PathAnswer answer;
  std::vector<std::string> remarks;  // see bwrap/path_remarks.h
};
[[nodiscard]] std::string path_text(const ExplainedPath& explained);
[[nodiscard]] std::string path_json(const ExplainedPath& explained);

struct HostAnswer {
  bool reachable = false;
  std::string rule;
  std::string why;
};
// `host` may have a port; with an allowlist it is 443 where it has none. `policy` was checked.
[[nodiscard]] HostAnswer explain_host(const policy::Policy& policy, const std::string& host);
// `as_path`: what it would be as a path, where it may have been meant as one.
[[nodiscard]] std::string host_text(const std::string& host, const HostAnswer& answer,
                                    const std::optional<ExplainedPath>& as_path = std::nullopt);
[[nodiscard]] std::string host_json(const std::string& host, const HostAnswer& answer,
                                    const std::optional<ExplainedPath>& as_path = std::nullopt);

// Of a word that names nothing on the host: "/x", "~/x", "./x", ".x" and what has a slash are paths; "localhost",
// addresses and what has a port are hosts; "server.pem" and "example.org" may be either; the rest are paths.
enum class SubjectKind { path, host, either };
[[nodiscard]] SubjectKind kind_of(const std::string& subject);

}  // namespace agentctl::manager
