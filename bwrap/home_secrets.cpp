// SPDX-License-Identifier: Apache-2.0
#include "bwrap/home_secrets.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "bwrap/directory_listing.h"
#include "bwrap/directory_names.h"
#include "policy/secret_places.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kOrigin = "built-in default of a read-only home";
constexpr std::size_t kMostNames = 5000;

constexpr std::string_view kWords[] = {"cred",   "secret", "token",   "passw",   "history", "keyring",
                                       "wallet", "apikey", "api_key", "api-key", "id_rsa",  "id_ed25519"};
constexpr std::string_view kEndings[] = {".pem", ".key", ".kdbx", ".p12", ".pfx", ".jks", ".keystore", ".gpg", ".age"};

bool is_taken_for_a_secret(const PathFact& entry) {
  const std::string& path = entry.path.str();
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  // A plain directory may well be a project about tokens.
  const bool considered =
      entry.kind == PathKind::file || name.starts_with('.') || path.find("/.config/") != std::string::npos;
  return considered && has_name_of_a_secret(name);
}

// The directories whose programs keep a secret beside their settings: "~/.minikube", "~/.config/rclone". What is a
// known place goes as a whole, what the policy shows stays as it says.
std::vector<PathFact> directories_of_programs(const policy::FileSettings& files, const HostFacts& facts,
                                              const std::vector<PathFact>& entries) {
  const std::string& home = facts.home.canonical.str();
  const auto is_granted = [&](const std::string& path) {
    for (const policy::Entries* list : {&files.read_only, &files.read_write}) {
      for (const policy::Entry& entry : *list) {
        const std::string shown = expand_path(entry.text, home, facts.project.canonical.str());
        if (shown != home && starts_with_path(path, shown)) return true;
      }
    }
    return false;
  };
  std::vector<PathFact> directories;
  for (const PathFact& entry : entries) {
    const std::string& path = entry.path.str();
    const std::string_view below = std::string_view(path).substr(home.size() + 1);
    const bool considered = entry.kind == PathKind::directory && below.starts_with('.') && below != ".config" &&
                            below != ".cache" && below != ".local";
    if (!considered || policy::is_secret_place(cat("~/", below)) || is_granted(path)) continue;
    if (starts_with_path(entry.canonical.str(), facts.project.canonical.str())) continue;
    directories.push_back(entry);
  }
  return directories;
}

void add_files_with_such_names(const PathFact& directory, PathResolver& resolver, std::vector<PathFact>& secrets) {
  const auto names = list_directory(directory.canonical, kMostNames);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!has_name_of_a_secret(name)) continue;
    PathFact file = resolver.resolve(join_path(directory.path.str(), name));
    if (file.kind == PathKind::file) secrets.push_back(std::move(file));
  }
}

}  // namespace

bool has_name_of_a_secret(std::string_view name) {
  const std::string lower = ascii_lower(name);
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; }) ||
         std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return lower.ends_with(ending); });
}

std::vector<PathFact> list_home_secrets(const policy::FileSettings& files, const HostFacts& facts,
                                        PathResolver& resolver) {
  std::vector<PathFact> secrets;
  const std::string& home = facts.home.canonical.str();
  for (const std::string_view place : policy::secret_places()) {
    secrets.push_back(resolver.resolve(cat(home, "/", place)));
  }
  for (const std::string& directory : {home, home + "/.config"}) {
    std::vector<PathFact> entries = list_directory(directory, resolver);
    for (const PathFact& program : directories_of_programs(files, facts, entries)) {
      add_files_with_such_names(program, resolver, secrets);
    }
    for (PathFact& entry : entries) {
      if (entry.kind != PathKind::absent && is_taken_for_a_secret(entry)) secrets.push_back(std::move(entry));
    }
  }
  for (const policy::Entry& entry : files.shown) {
    const std::string shown = expand_path(entry.text, home, facts.project.canonical.str());
    std::erase_if(secrets, [&](const PathFact& secret) { return secret.path.str() == shown; });
  }
  return secrets;
}

void hide_home_secrets(const HostFacts& facts, Layout& layout) {
  for (const PathFact& secret : facts.home_secrets) {
    const std::string& path = secret.kind == PathKind::absent ? secret.path.str() : secret.canonical.str();
    if (layout.has_at(path) || starts_with_path(facts.project.canonical.str(), path)) continue;
    if (starts_with_path(facts.home.canonical.str(), path)) continue;
    layout.hide(secret, kOrigin);
  }
}

}  // namespace agentctl::bwrap
