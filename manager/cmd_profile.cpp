// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/file.h"
#include "base/text.h"
#include "manager/agent_search.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/state_dirs.h"
#include "policy/policy_reader.h"
#include "policy/profile_template.h"
#include "policy/profiles.h"

namespace agentctl::manager {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A profile that cannot be read is listed as such: the others are still of use.
std::string agent_column(const std::string& name, const std::string& config_dir, bwrap::PathResolver& resolver) {
  const auto profile = policy::load_profile(name, config_dir);
  if (!profile) return "cannot be read";
  if (!profile->command) return "-";
  const std::string program = find_agent(profile->command->value[0], resolver);
  return program.empty() ? "not found" : printable(program);
}

Result<int> list(const std::string& config_dir) {
  bwrap::HostMounts mounts = AGENTCTL_TRY(bwrap::HostMounts::read());
  bwrap::PathResolver resolver(&mounts);
  const std::vector<std::string> names = policy::profile_names(config_dir);
  std::vector<std::array<std::string, 3>> rows = {{"NAME", "ORIGIN", "AGENT"}};
  for (const std::string& name : names) {
    const auto text = policy::load_profile_text(name, config_dir);
    rows.push_back({name, text ? printable(text->source) : policy::profile_path(name, config_dir),
                    agent_column(name, config_dir, resolver)});
  }
  std::size_t widths[2] = {0, 0};
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < 2; ++column) widths[column] = std::max(widths[column], row[column].size());
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < 2; ++column) {
      out += row[column] + std::string(widths[column] - row[column].size() + 2, ' ');
    }
    out += row[2] + "\n";
  }
  AGENTCTL_TRY_VOID(write_all(1, out));
  return kExitSuccess;
}

Result<int> show(const std::string& name, const std::string& config_dir) {
  const policy::ProfileText profile = AGENTCTL_TRY(policy::load_profile_text(name, config_dir));
  AGENTCTL_TRY_VOID(write_all(1, profile.text));
  return kExitSuccess;
}

bool is_known(const std::string& name, const std::string& config_dir) {
  const std::vector<std::string> names = policy::profile_names(config_dir);
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The text of the new profile, read back as a start would read it.
Result<std::string> new_text(const ProfileOptions& options, const std::string& path, const std::string& config_dir) {
  const std::string from = !options.from.empty()                ? options.from
                           : is_known(options.name, config_dir) ? options.name
                                                                : std::string();
  std::string original;
  std::string word = options.name;
  // The built-in default is below every profile anyway.
  if (!from.empty() && from != "default") {
    original = AGENTCTL_TRY(policy::load_profile_text(from, config_dir)).text;
    const policy::Policy profile = AGENTCTL_TRY(policy::load_profile(from, config_dir));
    if (profile.command) word = base_name(profile.command->value[0]);
  }
  bwrap::HostMounts mounts = AGENTCTL_TRY(bwrap::HostMounts::read());
  bwrap::PathResolver resolver(&mounts);
  const std::string program = find_agent(word, resolver);
  if (program.empty()) {
    return make_error(ErrorKind::environment, cat("cannot find the agent '", printable(word), "'"),
                      "install it, or run this with its directory in PATH");
  }
  std::string text = AGENTCTL_TRY(with_context(cat("cannot start from the profile '", printable(from), "'"),
                                               policy::make_profile_text(options.name, original, program)));
  AGENTCTL_TRY(policy::load_policy_text(text, path));
  return text;
}

Result<int> make(const ProfileOptions& options, const std::string& config_dir) {
  if (!policy::is_profile_name(options.name)) {
    return make_error(ErrorKind::usage,
                      cat("the name '", printable(options.name),
                          "' must be of letters, digits, '-', '_' and '.', and not begin with '-' or '.'"));
  }
  const std::string path = policy::profile_path(options.name, config_dir);
  const std::string text = AGENTCTL_TRY(new_text(options, path, config_dir));
  const UniqueFd directory =
      AGENTCTL_TRY(with_context("cannot keep profiles", own_directory(existing_name(config_dir) + "/profiles")));
  const auto file = open_at(directory.get(), base_name(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
  if (!file && file.error().sys_errno == EEXIST) {
    return make_error(ErrorKind::usage, cat("'", printable(path), "' is there already"), "edit it, or remove it first");
  }
  if (!file) return file.error();
  AGENTCTL_TRY_VOID(write_all(file->get(), text));
  AGENTCTL_TRY_VOID(write_all(1, printable(path) + "\n"));
  return kExitSuccess;
}

}  // namespace

Result<int> run_profile(const ProfileOptions& options) {
  const std::string config_dir = AGENTCTL_TRY(config_dir_path());
  switch (options.action) {
    case ProfileOptions::Action::list:
      return list(config_dir);
    case ProfileOptions::Action::show:
      return show(options.name, config_dir);
    case ProfileOptions::Action::make:
      return make(options, config_dir);
  }
  return kExitRuntime;
}

}  // namespace agentctl::manager
