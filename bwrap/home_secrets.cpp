// SPDX-License-Identifier: Apache-2.0
#include "bwrap/home_secrets.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "bwrap/directory_listing.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kOrigin = "built-in default of a read-only home";

constexpr std::string_view kPlaces[] = {
    // keys and logins
    ".ssh", ".gnupg", ".putty", ".pki", ".netrc", ".git-credentials", ".config/gh", ".config/glab-cli", ".config/hub",
    ".password-store", ".config/op", ".config/1Password", ".config/Bitwarden", ".config/keepassxc", ".config/sops",
    ".config/age", ".vault-token", ".Xauthority", ".ICEauthority", ".env", ".envrc",
    // clouds
    ".aws", ".azure", ".config/gcloud", ".kube", ".docker", ".config/containers", ".terraform.d", ".oci", ".boto",
    ".s3cfg", ".fly", ".config/doctl", ".config/heroku", ".config/hcloud", ".config/ngrok", ".ngrok2", ".config/stripe",
    ".config/rclone", ".config/netlify", ".config/.wrangler", ".kaggle", ".huggingface", ".databrickscfg", ".snowflake",
    // packages and databases
    ".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
    ".bundle/config", ".composer/auth.json", ".config/composer/auth.json", ".m2/settings.xml",
    ".gradle/gradle.properties", ".subversion/auth", ".pgpass", ".my.cnf", ".mylogin.cnf",
    // browsers, mail, messages, wallets
    ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware",
    ".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".config/Slack", ".config/discord", ".config/Signal",
    ".config/evolution", ".config/filezilla", ".config/remmina", ".var/app", "snap", ".bitcoin", ".ethereum",
    ".electrum", ".solana", ".sui",
    // agents
    ".claude", ".claude.json", ".config/anthropic", ".codex", ".gemini", ".pi", ".config/opencode", ".config/goose",
    ".cursor", ".config/cursor", ".aider", ".aider.conf.yml", ".continue", ".copilot", ".config/github-copilot",
    ".qwen", ".config/crush", ".config/amp",
    // what was typed and read
    ".lesshst", ".viminfo"};

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

}  // namespace

bool has_name_of_a_secret(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; }) ||
         std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return lower.ends_with(ending); });
}

std::vector<PathFact> list_home_secrets(const HostFacts& facts, PathResolver& resolver) {
  std::vector<PathFact> secrets;
  const std::string& home = facts.home.canonical.str();
  for (const std::string_view place : kPlaces) {
    secrets.push_back(resolver.resolve(cat(home, "/", place)));
  }
  for (const std::string& directory : {home, home + "/.config"}) {
    for (PathFact& entry : list_directory(directory, resolver)) {
      if (entry.kind != PathKind::absent && is_taken_for_a_secret(entry)) secrets.push_back(std::move(entry));
    }
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
