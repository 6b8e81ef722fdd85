// SPDX-License-Identifier: Apache-2.0
#include "policy/profile_template.h"

#include "base/text.h"
#include "policy/toml_fault.h"

namespace agentctl::policy {
namespace {

constexpr std::string_view kCommand = "command = [\"";

std::string bare_profile(std::string_view name, const std::string& program) {
  return cat("# ", name, ".\n\n[agent]\ncommand = [", json_quote(program),
             "]\n\n[files]\n"
             "# What must outlive the session, what it may only read, and which of these need not exist.\n"
             "read-write = []\nread-only = []\noptional = []\n\n[env]\n"
             "# Its own keys: the agent, and what it runs, can read them.\npass = []\n");
}

}  // namespace

Result<std::string> make_profile_text(std::string_view name, std::string_view from, const std::string& program) {
  if (from.empty()) return bare_profile(name, program);
  std::string text;
  bool is_replaced = false;
  for (const std::string& line : split_lines(from)) {
    const std::size_t end = line.starts_with(kCommand) ? line.find('"', kCommand.size()) : std::string::npos;
    if (!is_replaced && end != std::string::npos) {
      text += cat("command = [", json_quote(program), line.substr(end + 1), "\n");
      is_replaced = true;
    } else {
      text += cat(line, "\n");
    }
  }
  if (is_replaced) return text;
  return make_error(ErrorKind::policy, cat("its command is not written as '", kCommand, "…'"));
}

}  // namespace agentctl::policy
