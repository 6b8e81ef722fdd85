// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "bwrap/host_facts.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/project_policy.h"
#include "manager/state_dirs.h"
#include "manager/trust_store.h"
#include "policy/policy_reader.h"
#include "policy/toml_fault.h"

namespace agentctl::manager {
namespace {

Error no_file(const ProjectPolicyFile& file) {
  return make_error(ErrorKind::usage, cat("nothing to trust: '", printable(file.path), "' not found"));
}

// On a terminal nobody trusts what they have not seen. Elsewhere the command itself is the word of the user.
Result<bool> user_agrees(const ProjectPolicyFile& file) {
  if (::isatty(0) != 1 || ::isatty(2) != 1) return true;
  std::string text = cat(printable(file.path), ":\n");
  for (const std::string& line : policy::split_lines(*file.text)) text += cat("    ", printable(line), "\n");
  AGENTCTL_TRY_VOID(write_all(2, text + "May this file widen the sandbox of its project? [y/N] "));
  std::string answer;
  char character = 0;
  while (::read(0, &character, 1) == 1 && character != '\n') answer += character;
  return answer == "y" || answer == "Y" || answer == "yes";
}

Result<int> add(const ProjectPolicyFile& file, const std::string& config_dir) {
  if (!file.text) return no_file(file);
  AGENTCTL_TRY(policy::load_policy_text(*file.text, file.path));
  if (!AGENTCTL_TRY(user_agrees(file))) {
    return make_error(ErrorKind::policy, cat("'", printable(file.path), "' is not trusted: you did not say yes"));
  }
  const policy::TrustedProject project{file.directory, sha256_hex(*file.text)};
  AGENTCTL_TRY_VOID(
      change_trust(config_dir, [&](policy::TrustList& list) { return policy::add_trusted(list, project); }));
  AGENTCTL_TRY_VOID(write_all(1, cat("trusted ", printable(file.path), " sha256 ", project.sha256, "\n")));
  return kExitSuccess;
}

// A project that is gone is known by the name that was kept.
Result<int> remove(const ProjectPolicyFile& file, const std::string& directory, const std::string& config_dir) {
  AGENTCTL_TRY_VOID(change_trust(config_dir, [&](policy::TrustList& list) -> Result<void> {
    if (policy::remove_trusted(list, file.directory) || policy::remove_trusted(list, directory)) return {};
    return make_error(ErrorKind::usage, cat("'", printable(directory), "' is not trusted"),
                      "see 'agentctl trust --list'");
  }));
  return kExitSuccess;
}

Result<int> list(const std::string& config_dir) {
  std::string text;
  for (const policy::TrustedProject& project : AGENTCTL_TRY(load_trust(config_dir))) {
    const auto file = read_project_policy(project.directory);
    std::string_view state = "gone";
    if (file && file->text) state = sha256_hex(*file->text) == project.sha256 ? "trusted" : "changed";
    text += cat(state, "  ", printable(project.directory), "\n");
  }
  AGENTCTL_TRY_VOID(write_all(1, text));
  return kExitSuccess;
}

}  // namespace

Result<int> run_trust(const TrustOptions& options) {
  const std::string config_dir = AGENTCTL_TRY(config_dir_path());
  if (options.list) return list(config_dir);
  const std::string directory = bwrap::expand_path(options.directory, "", AGENTCTL_TRY(current_directory()));
  const ProjectPolicyFile file = AGENTCTL_TRY(read_project_policy(directory));
  return options.remove ? remove(file, directory, config_dir) : add(file, config_dir);
}

}  // namespace agentctl::manager
