// SPDX-License-Identifier: Apache-2.0
// TOML text -> Policy, with every mistake at once and its place (file:line:column). The only file that sees toml++.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace agentctl::policy {

// One mistake. render() gives "policy.toml:3:11: error: …" plus, where `line_text` is known, the line and a caret.
struct Diagnostic {
  Origin origin;
  std::string message;
  std::string line_text;
};
[[nodiscard]] std::string render(const Diagnostic& diagnostic);

// One [[autostart]]: a session that the login-session service starts (policy/autostart.h).
struct Autostart {
  std::string project;  // "~/dev/x", "/srv/x": as the user wrote it
  std::string profile;  // empty: what `start` takes without one
  std::string name;     // empty: made from command and project
  Origin origin;
};

// What came of reading: the rest is meaningful only when `mistakes` is empty.
struct ReadOutcome {
  Policy policy;
  std::vector<Autostart> autostart;
  std::vector<Diagnostic> mistakes;
};

// `source` names the text in diagnostics and origins. Pure.
[[nodiscard]] ReadOutcome read_policy(std::string_view text, std::string_view source);

// Nobody but the user decides what runs at a login: in every other file than the user's own it is a mistake.
enum class AutostartTables { refused, allowed };

// The same with all mistakes, rendered, in one Error of kind policy, one a line.
[[nodiscard]] Result<Policy> load_policy_text(std::string_view text, const std::string& source,
                                              AutostartTables autostart = AutostartTables::refused);
// Reads a file: absent is a policy of nothing, unreadable is an Error of kind policy.
[[nodiscard]] Result<Policy> load_policy_file(const std::string& path,
                                              AutostartTables autostart = AutostartTables::refused);

// A project's own file must not be a link: what it names would be shown in the mistakes.
enum class PolicyLinks { followed, refused };
// The text of `name` in the directory `dir` (or AT_FDCWD), which messages call `path`; nothing where it is absent.
[[nodiscard]] Result<std::optional<std::string>> read_policy_text(int dir, const std::string& name,
                                                                  const std::string& path, PolicyLinks links);

// The mistakes of any step as one Error of kind policy (exit status 3), or success when there are none.
[[nodiscard]] Result<void> to_result(const std::vector<Diagnostic>& mistakes);

}  // namespace agentctl::policy
