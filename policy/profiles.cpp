// SPDX-License-Identifier: Apache-2.0
#include "policy/profiles.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/text.h"
#include "policy/embedded_profiles.h"
#include "policy/nearest_name.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {
namespace {

constexpr std::string_view kSuffix = ".toml";
constexpr std::array<std::string_view, 5> kShells = {"sh", "bash", "dash", "fish", "zsh"};

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::string profiles_dir(const std::string& config_dir) { return cat(config_dir, "/profiles"); }

std::optional<EmbeddedText> find_embedded(std::string_view name) {
  for (const EmbeddedText& profile : embedded_profiles()) {
    if (profile.name == name) return profile;
  }
  return std::nullopt;
}

Result<Policy> read_embedded(const EmbeddedText& profile) {
  const std::string source = profile.name == "default" ? "built-in default" : cat("built-in profile ", profile.name);
  ReadOutcome outcome = read_policy(profile.text, source);
  AGENTCTL_TRY_VOID(to_result(outcome.mistakes));
  return std::move(outcome.policy);
}

bool has_own(std::string_view name, const std::string& config_dir) {
  struct stat status {};
  return is_profile_name(name) && !config_dir.empty() && ::lstat(profile_path(name, config_dir).c_str(), &status) == 0;
}

Error not_found(std::string_view name, const std::string& config_dir) {
  const std::vector<std::string> names = profile_names(config_dir);
  const std::vector<std::string_view> known(names.begin(), names.end());
  return make_error(ErrorKind::usage, cat("profile '", printable(name), "' not found", did_you_mean(name, known)),
                    cat("there are: ", join(names, ", ")));
}

}  // namespace

Policy built_in_default() {
  const auto profile = find_embedded("default");
  auto policy = profile ? read_embedded(*profile) : Result<Policy>(Policy{});
  return policy ? std::move(*policy) : Policy{};  // a Policy of nothing opens nothing
}

bool is_profile_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name[0] == '-' || name[0] == '.') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

std::string profile_path(std::string_view name, const std::string& config_dir) {
  return cat(profiles_dir(config_dir), '/', name, kSuffix);
}

Result<Policy> load_profile(std::string_view name, const std::string& config_dir) {
  if (has_own(name, config_dir)) return load_policy_file(profile_path(name, config_dir));
  if (const auto profile = find_embedded(name)) return read_embedded(*profile);
  return not_found(name, config_dir);
}

Result<ProfileText> load_profile_text(std::string_view name, const std::string& config_dir) {
  if (has_own(name, config_dir)) {
    const std::string path = profile_path(name, config_dir);
    auto text = AGENTCTL_TRY(read_policy_text(AT_FDCWD, path, path, PolicyLinks::followed));
    if (text) return ProfileText{std::move(*text), path};
  }
  if (const auto profile = find_embedded(name)) return ProfileText{std::string(profile->text), "built-in"};
  return not_found(name, config_dir);
}

std::vector<std::string> profile_names(const std::string& config_dir) {
  std::vector<std::string> names;
  for (const EmbeddedText& profile : embedded_profiles()) names.emplace_back(profile.name);
  const std::unique_ptr<DIR, CloseDirectory> directory(
      config_dir.empty() ? nullptr : ::opendir(profiles_dir(config_dir).c_str()));
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    std::string_view file = entry->d_name;
    if (!file.ends_with(kSuffix)) continue;
    file.remove_suffix(kSuffix.size());
    if (is_profile_name(file)) names.emplace_back(file);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string profile_for_command(std::string_view command, const std::string& config_dir) {
  if (const std::size_t slash = command.rfind('/'); slash != std::string_view::npos) command.remove_prefix(slash + 1);
  const std::vector<std::string> names = profile_names(config_dir);
  if (std::find(names.begin(), names.end(), command) != names.end()) return std::string(command);
  return std::find(kShells.begin(), kShells.end(), command) != kShells.end() ? "shell" : "default";
}

}  // namespace agentctl::policy
