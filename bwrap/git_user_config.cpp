// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_user_config.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostIncludes = 64;
constexpr std::string_view kIncludeIf = "includeif.";
constexpr std::string_view kPath = ".path";
constexpr std::string_view kReadKeys[] = {"core.excludesfile", "core.attributesfile", "core.hookspath",
                                          "commit.template", "gpg.ssh.allowedsignersfile"};
constexpr std::string_view kRunKeys[] = {"core.editor", "core.pager",      "core.sshcommand",  "core.askpass",
                                         "gpg.program", "gpg.ssh.program", "gpg.x509.program", "core.fsmonitor"};

bool is_one_of(const std::string& key, const auto& keys) {
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

bool names_helper(const std::string& key) {
  return key == "credential.helper" || (key.starts_with("credential.") && key.ends_with(".helper"));
}

class Reader {
 public:
  Reader(const std::string& home, const std::string& gitdir, PathResolver& resolver)
      : home_(home), gitdir_(gitdir), resolver_(resolver) {}

  GitUserConfig read() {
    for (const char* name : {".config/git/config", ".gitconfig"}) read_file(join_path(home_, name), 0);
    return std::move(config_);
  }

 private:
  void read_file(const std::string& path, int depth) {
    const PathFact fact = resolver_.resolve(path);
    if (fact.kind != PathKind::file) return;
    const auto text = read_regular_file(fact.canonical, kMostConfigBytes);
    auto settings = text ? parse_git_config(*text) : Result<std::vector<GitSetting>>(text.error());
    if (!settings) {
      config_.warnings.push_back(cat("git: cannot use '", printable(path), "': ", settings.error().message));
      return;
    }
    if (depth > 0) config_.read.push_back(fact);
    for (GitSetting& setting : *settings) {
      const auto included = find_include(setting, parent_path(path));
      if (depth == 0) {
        note_files(setting);
      } else if (included || is_one_of(setting.key, kReadKeys)) {
        warn_of_second_hand(path, setting);
      }
      config_.settings.push_back(std::move(setting));
      if (included && depth == 0 && config_.read.size() < kMostIncludes) read_file(*included, 1);
    }
  }

  // What the user's own files include may be a file that sessions write: it is shown, but opens nothing by itself.
  void warn_of_second_hand(const std::string& path, const GitSetting& setting) {
    config_.warnings.push_back(cat("git: '", printable(setting.value), "', which the included '", printable(path),
                                   "' names, is not shown for it: name it in read-only if the session needs it"));
  }

  [[nodiscard]] std::optional<std::string> find_include(const GitSetting& setting, const std::string& directory) const {
    const bool plain = setting.key == "include.path";
    const bool conditional = setting.key.starts_with(kIncludeIf) && setting.key.ends_with(kPath);
    if ((!plain && !conditional) || setting.value.empty()) return std::nullopt;
    if (conditional && !may_hold(setting.key, directory)) return std::nullopt;
    return normalize_path(expand(setting.value, directory));
  }

  // Only a plain directory is compared. What else a condition may say is taken to hold: showing a file that git then
  // does not read is better than hiding one that it does.
  [[nodiscard]] bool may_hold(const std::string& key, const std::string& directory) const {
    constexpr std::string_view kGitdir = "gitdir:";
    std::string condition = key.substr(kIncludeIf.size(), key.size() - kIncludeIf.size() - kPath.size());
    if (!condition.starts_with(kGitdir)) return true;
    condition.erase(0, kGitdir.size());
    const bool anchored = condition.starts_with('/') || condition.starts_with("~/") || condition.starts_with("./");
    if (!anchored || condition.find_first_of("*?[") != std::string::npos) return true;
    const bool below = condition.ends_with('/');
    const PathFact named = resolver_.resolve(expand(condition, directory));
    const std::string& place = named.canonical.str();
    if (place.empty()) return false;
    return below ? starts_with_path(gitdir_, place) : gitdir_ == place;
  }

  [[nodiscard]] std::string expand(const std::string& path, const std::string& directory) const {
    if (path.starts_with("~/")) return join_path(home_, path.substr(2));
    return path.starts_with('/') ? path : join_path(directory, path);
  }

  void note_files(const GitSetting& setting) {
    if (is_one_of(setting.key, kReadKeys)) {
      note(setting.value, config_.read);
    } else if (is_one_of(setting.key, kRunKeys) || names_helper(setting.key)) {
      const std::string command = setting.value.starts_with('!') ? setting.value.substr(1) : setting.value;
      note(command.substr(0, command.find_first_of(" \t")), config_.run);
    }
  }

  void note(const std::string& path, std::vector<PathFact>& facts) {
    if (!path.starts_with('/') && !path.starts_with("~/")) return;
    PathFact fact = resolver_.resolve(expand(path, "/"));
    const bool directory = fact.kind == PathKind::directory && starts_with_path(home_, fact.canonical.str());
    if (directory || fact.kind == PathKind::absent) return;  // nobody's hooks are in a directory around the home
    if (fact.kind == PathKind::file || fact.kind == PathKind::directory) facts.push_back(std::move(fact));
  }

  const std::string& home_;
  const std::string& gitdir_;
  PathResolver& resolver_;
  GitUserConfig config_;
};

}  // namespace

GitUserConfig read_git_user_config(const std::string& home, const std::string& gitdir, PathResolver& resolver) {
  return Reader(home, gitdir, resolver).read();
}

}  // namespace agentctl::bwrap
