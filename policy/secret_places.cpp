// SPDX-License-Identifier: Apache-2.0
#include "policy/secret_places.h"

#include <algorithm>

namespace agentctl::policy {
namespace {

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
    // what was typed and read
    ".lesshst", ".viminfo",
    // agents, which are the last
    ".claude", ".claude.json", ".config/anthropic", ".codex", ".gemini", ".pi", ".config/opencode", ".config/goose",
    ".cursor", ".config/cursor", ".aider", ".aider.conf.yml", ".continue", ".copilot", ".config/github-copilot",
    ".qwen", ".config/crush", ".config/amp"};
constexpr std::string_view kFirstAgent = ".claude";

}  // namespace

std::span<const std::string_view> secret_places() { return kPlaces; }

bool is_secret_place(std::string_view path) {
  if (!path.starts_with("~/")) return false;
  path.remove_prefix(2);
  return std::find(std::begin(kPlaces), std::end(kPlaces), path) != std::end(kPlaces);
}

bool is_agent_state(std::string_view place) {
  const auto first = std::find(std::begin(kPlaces), std::end(kPlaces), kFirstAgent);
  return std::find(first, std::end(kPlaces), place) != std::end(kPlaces);
}

}  // namespace agentctl::policy
