// SPDX-License-Identifier: Apache-2.0
#include "bwrap/hidden_from_git.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/ignore_file.h"
#include "bwrap/path_resolution.h"
#include "bwrap/rule_entry.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostNamesTold = 5;

class IgnoreList {
 public:
  IgnoreList(const policy::FileSettings& files, const HostFacts& facts)
      : files_(files), facts_(facts), project_(facts.project.canonical.str()) {
    const std::string& above = facts.git.above.path.str();
    if (facts.git.above.kind != PathKind::absent) prefix_ = project_.substr(parent_path(above).size());
  }

  // What comes to match is hidden, too, but for what the same file names.
  void add_globs() {
    std::set<std::string> sources;
    for (const policy::Entry& entry : files_.hide) {
      if (policy::is_built_in(entry.origin) || !has_glob(entry.text)) continue;
      const std::string path = expand_entry(entry, facts_);
      if (path.size() <= project_.size() || !starts_with_path(path, project_)) continue;
      if (path.find_first_of(" \r\n") != std::string::npos) continue;
      lines_.push_back(cat(prefix_, path.substr(project_.size())));
      sources.insert(entry.origin.source);
    }
    for (const policy::Entries* list : {&files_.read_only, &files_.read_write, &files_.copy}) {
      for (const policy::Entry& entry : *list) {
        const std::string path = expand_entry(entry, facts_);
        if (!sources.contains(entry.origin.source) || !starts_with_path(path, project_)) continue;
        lines_.push_back(cat("!", line_in_project(path)));
      }
    }
  }

  void add_names(const std::vector<HiddenName>& names) {
    for (const HiddenName& name : names) {
      if (name.link.empty() && starts_with_path(name.path, project_)) lines_.push_back(line_in_project(name.path));
    }
  }

  void add_masks(const std::vector<Operation>& operations) {
    for (const Operation& operation : operations) {
      if (operation.kind != OperationKind::mask || operation.directory) continue;
      const auto found = facts_.untracked.find(operation.destination.str());
      if (found == facts_.untracked.end()) {
        if (is_socket(operation.destination.str())) lines_.push_back(line_in_project(operation.destination.str()));
        continue;
      }
      const UntrackedFact& file = found->second;
      lines_.push_back(ignore_line(file.below));
      if (file.is_ignored) continue;
      open_.push_back(file.below);
      if (file.overrides_list) overriding_.push_back(file.below);
    }
  }

  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] std::string text(const std::string& own) const {
    return cat(own, own.empty() || own.ends_with('\n') ? "" : "\n", join(lines_, "\n"), "\n");
  }
  // The hidden files that git would add: without our list, and in spite of it.
  [[nodiscard]] const std::vector<std::string>& open() const { return open_; }
  [[nodiscard]] const std::vector<std::string>& overriding() const { return overriding_; }

 private:
  // Of the project: git takes no notice of a socket, but of the file in its place it does.
  [[nodiscard]] bool is_socket(const std::string& path) const {
    return starts_with_path(path, project_) &&
           std::any_of(facts_.served_sockets.begin(), facts_.served_sockets.end(),
                       [&](const PathFact& socket) { return socket.canonical.str() == path; });
  }
  [[nodiscard]] std::string line_in_project(const std::string& path) const {
    return ignore_line(cat(prefix_, path.substr(project_.size())).substr(1));
  }

  const policy::FileSettings& files_;
  const HostFacts& facts_;
  const std::string& project_;
  std::string prefix_;  // the project from the top of the working tree around it: "/sub"
  std::vector<std::string> lines_;
  std::vector<std::string> open_;
  std::vector<std::string> overriding_;
};

void warn(const std::vector<std::string>& names, const std::string& why, std::vector<std::string>& warnings) {
  if (names.empty()) return;
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(printable(name));
  warnings.push_back(cat("git: hidden, and 'git add -A' inside would commit them empty", why, ": ",
                         join_some(shown, ", ", kMostNamesTold), "; name them in .gitignore"));
}

void add_list(std::string text, Plan& plan) {
  Operation list;
  list.kind = OperationKind::data;
  list.destination = SandboxPath(kIgnoreListPath);
  list.text = std::move(text);
  list.origin = "built-in default";
  const auto sealing = std::find_if(plan.operations.begin(), plan.operations.end(), [](const Operation& operation) {
    return operation.kind == OperationKind::remount_read_only;
  });
  plan.operations.insert(sealing, std::move(list));
}

}  // namespace

void hide_from_git(const policy::FileSettings& files, const HostFacts& facts, const Layout& layout,
                   bool is_environment_taken, Plan& plan, GitSettings& settings) {
  IgnoreList list(files, facts);
  list.add_globs();
  list.add_names(plan.hidden_names);
  list.add_masks(plan.operations);
  if (list.empty()) return;
  const IgnoreListFact& own = facts.ignore_list;
  if (is_environment_taken) return warn(list.open(), ", since the policy sets GIT_CONFIG_COUNT", plan.warnings);
  if (!own.fault.empty()) {
    return warn(list.open(), cat(", since your own list of what git ignores cannot be used (", own.fault, ")"),
                plan.warnings);
  }
  warn(list.overriding(), "", plan.warnings);
  const bool is_seen = layout.shows(own.fact) && !layout.is_hidden(own.fact.canonical.str());
  add_list(list.text(is_seen ? own.text : std::string()), plan);
  settings.emplace_back("core.excludesFile", kIgnoreListPath);
}

std::vector<std::string> git_variables(const GitSettings& settings) {
  std::vector<std::string> variables;
  if (settings.empty()) return variables;
  variables.push_back(cat("GIT_CONFIG_COUNT=", settings.size()));
  for (std::size_t at = 0; at < settings.size(); ++at) {
    variables.push_back(cat("GIT_CONFIG_KEY_", at, "=", settings[at].first));
    variables.push_back(cat("GIT_CONFIG_VALUE_", at, "=", settings[at].second));
  }
  return variables;
}

}  // namespace agentctl::bwrap
