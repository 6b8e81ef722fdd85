// SPDX-License-Identifier: Apache-2.0
#include "bwrap/user_programs.h"

#include <dirent.h>

#include <array>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kPlaces[] = {
    ".local/bin", "bin",           ".npm-global/bin",         ".volta/bin",  ".bun/bin",          ".cargo/bin",
    ".deno/bin",  ".opencode/bin", ".local/share/mise/shims", ".asdf/shims", ".local/share/pnpm", ".claude/local"};

constexpr int kLongestAlias = 5;
constexpr std::size_t kAliasBytes = 128;

using Version = std::array<std::uint64_t, 3>;

// "v20.11.1", "20.11", "20": how many parts it has, and those.
std::optional<std::pair<std::size_t, Version>> parse_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::vector<std::string> parts = split(text, '.');
  Version version{};
  if (parts.size() > version.size()) return std::nullopt;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const auto number = parse_count(parts[at]);
    if (!number || parts[at] == "infinity") return std::nullopt;
    version[at] = *number;
  }
  return std::pair{parts.size(), version};
}

bool is_directory(const std::string& path, PathResolver& resolver) {
  return resolver.resolve(path).kind == PathKind::directory;
}

std::vector<std::string> names_in(const std::string& path) {
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> directory(::opendir(path.c_str()));
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) names.emplace_back(entry->d_name);
  return names;
}

// nvm keeps no link to its default: alias/default names a version, or another alias ("lts/*", "lts/jod", "node").
std::string nvm_directory(const std::string& home, PathResolver& resolver) {
  const std::string nvm = home + "/.nvm";
  if (!is_directory(nvm + "/versions/node", resolver)) return {};
  std::string wanted = "default";
  for (int step = 0; step < kLongestAlias; ++step) {
    if (wanted.find("..") != std::string::npos) break;
    const auto text = read_file(cat(nvm, "/alias/", wanted), kAliasBytes);
    if (!text) break;
    wanted = trim(*text);
  }
  const std::vector<std::string> versions = names_in(nvm + "/versions/node");
  std::string version = newest_version(versions, wanted);
  if (version.empty()) version = newest_version(versions, {});
  return version.empty() ? std::string() : cat(nvm, "/versions/node/", version, "/bin");
}

}  // namespace

std::string newest_version(const std::vector<std::string>& versions, std::string_view wanted) {
  const auto asked = wanted.empty() ? std::optional(std::pair{std::size_t{0}, Version{}}) : parse_version(wanted);
  if (!asked) return {};
  std::string newest;
  Version highest{};
  for (const std::string& name : versions) {
    const auto version = parse_version(name);
    if (!version || version->first != highest.size() || !name.starts_with('v')) continue;
    bool fits = true;
    for (std::size_t at = 0; at < asked->first; ++at) fits = fits && version->second[at] == asked->second[at];
    if (!fits || (!newest.empty() && version->second < highest)) continue;
    newest = name;
    highest = version->second;
  }
  return newest;
}

std::vector<std::string> user_program_directories(const std::string& home, PathResolver& resolver) {
  std::vector<std::string> directories;
  const auto add = [&](std::string path) {
    if (is_directory(path, resolver)) directories.push_back(std::move(path));
  };
  for (const std::string_view place : kPlaces) add(cat(home, "/", place));
  if (std::string nvm = nvm_directory(home, resolver); !nvm.empty()) add(std::move(nvm));
  return directories;
}

}  // namespace agentctl::bwrap
