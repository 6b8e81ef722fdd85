// SPDX-License-Identifier: Apache-2.0
#include "policy/env_name.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace agentctl::policy {
namespace {

constexpr std::string_view kSecretWords[] = {"TOKEN",      "KEY",  "SECRET", "PASS",
                                             "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE"};
constexpr std::string_view kFamilies[] = {"LD_",         "GLIBC_",      "GIT_",   "SSH_",    "GPG_",    "DBUS_",
                                          "DOCKER_",     "CONTAINER_",  "PYTHON", "PERL5",   "RUBY",    "NODE_",
                                          "NPM_CONFIG_", "npm_config_", "BASH_",  "LISTEN_", "VSCODE_", "XDG_RUNTIME"};
constexpr std::string_view kNames[] = {"KUBECONFIG",
                                       "XAUTHORITY",
                                       "SUDO_ASKPASS",
                                       "DISPLAY",
                                       "WAYLAND_DISPLAY",
                                       "NOTIFY_SOCKET",
                                       "INVOCATION_ID",
                                       "JOURNAL_STREAM",
                                       "ENV",
                                       "TMUX",
                                       "STY",
                                       "LESSOPEN",
                                       "LESSCLOSE",
                                       "RUSTC_WRAPPER",
                                       "JAVA_TOOL_OPTIONS",
                                       "PROMPT_COMMAND",
                                       "IFS",
                                       "SHELLOPTS",
                                       "BASHOPTS",
                                       "ZDOTDIR"};

}  // namespace

bool is_env_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    if (!is_letter && (c < '0' || c > '9')) return false;
  }
  return true;
}

bool matches_env_name(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

bool is_secret_name(std::string_view name) {
  std::string upper(name);
  for (char& letter : upper) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return std::any_of(std::begin(kSecretWords), std::end(kSecretWords),
                     [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

bool needs_full_name(std::string_view name) {
  return is_secret_name(name) || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](std::string_view family) { return name.starts_with(family); });
}

bool is_loader_variable(std::string_view name) { return name.starts_with("LD_") || name == "GLIBC_TUNABLES"; }

}  // namespace agentctl::policy
