// SPDX-License-Identifier: Apache-2.0
#include "manager/surface_rules.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace agentctl::manager {
namespace {

struct RuleGroup {
  std::string_view kind;
  std::string_view run_by;
  std::vector<std::string_view> patterns;
  SurfaceScope scope = SurfaceScope::file;
};

// Below agents' directories only what they obey is named: sessions, caches and logs change all the time.
const std::vector<RuleGroup>& rule_groups() {
  static const std::vector<RuleGroup> groups = {
      {"git hook", "git", {".git/hooks/", ".husky/", ".githooks/"}},
      {"git file",
       "git",
       {".git/commondir", ".git/gitdir", ".git/info/attributes", ".git/objects/info/alternates", ".gitattributes",
        ".gitmodules"}},
      {"hook runner", "git", {".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml"}},
      {"editor settings",
       "the editor",
       {".vscode/", ".idea/", ".fleet/", ".zed/", ".devcontainer/", ".devcontainer.json", "*.code-workspace",
        "*.sublime-project", ".dir-locals.el", ".dir-locals-2.el", ".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".vim/",
        ".helix/"}},
      {"agent settings",
       "an agent",
       {".claude/settings*.json",
        ".claude/hooks/",
        ".claude/commands/",
        ".claude/agents/",
        ".claude/skills/",
        ".claude/plugins/",
        ".claude/output-styles/",
        ".claude/rules/",
        ".claude.json",
        ".mcp.json",
        ".codex/*config.toml",
        ".codex/hooks.json",
        ".codex/hooks/",
        ".codex/prompts/",
        ".codex/rules/",
        ".codex/skills/",
        ".gemini/settings.json",
        ".gemini/.env",
        ".gemini/extensions/",
        ".gemini/commands/",
        ".gemini/hooks/",
        ".gemini/policies/",
        ".gemini/skills/",
        ".gemini/agents/",
        ".agents/",
        ".opencode/",
        ".config/opencode/",
        "opencode.json",
        "opencode.jsonc",
        ".pi/extensions/",
        ".pi/skills/",
        ".pi/prompts/",
        ".pi/settings.json",
        ".pi/agent/extensions/",
        ".pi/agent/skills/",
        ".pi/agent/prompts/",
        ".pi/agent/bin/",
        ".pi/agent/settings.json",
        ".pi/agent/models.json",
        ".aider.conf.yml",
        ".aider.model.*",
        ".continue/",
        ".kilocode/",
        ".clinerules/",
        ".cline*",
        ".roo/",
        ".windsurf/",
        ".cursor/rules/",
        ".cursor/mcp.json",
        ".cursor/hooks.json",
        ".cursor/hooks/",
        ".cursor/commands/",
        ".cursor/agents/",
        ".cursor/skills/",
        ".cursor/environment.json",
        ".cursor/*config.json",
        ".config/goose/config.yaml"}},
      {"agent instructions",
       "an agent",
       {"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", ".cursorrules",
        ".windsurfrules", ".goosehints", ".github/copilot-instructions.md"}},
      {"environment file",
       "direnv, mise, a shell",
       {".envrc", ".env", ".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml", ".nvmrc", ".python-version",
        "flake.nix", "shell.nix", "default.nix"}},
      {"package settings",
       "npm, yarn, pnpm, bun",
       {"package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/", ".pnpmfile.cjs", "pnpm-workspace.yaml",
        "bunfig.toml", "deno.json"}},
      {"build file",
       "the build, tests",
       {"Makefile",
        "makefile",
        "GNUmakefile",
        "*.mk",
        "justfile",
        "Justfile",
        "Taskfile.yml",
        "CMakeLists.txt",
        "*.cmake",
        "build.rs",
        ".cargo/config.toml",
        ".cargo/config",
        "rust-toolchain*",
        "build.gradle*",
        "gradlew",
        ".mvn/",
        "pom.xml",
        "setup.py",
        "setup.cfg",
        "pyproject.toml",
        "conftest.py",
        "tox.ini",
        "noxfile.py",
        "Rakefile",
        "configure",
        "meson.build",
        "Dockerfile*",
        "compose.y*ml",
        "docker-compose*.y*ml"}},
      {"Python start-up file",
       "python",
       {"bin/python*", "bin/activate*", "pyvenv.cfg", "sitecustomize.py", "usercustomize.py", "*.pth"}},
      {"CI workflow",
       "CI",
       {".github/workflows/", ".github/actions/", ".gitlab-ci.yml", "Jenkinsfile", ".circleci/", ".travis.yml",
        "azure-pipelines.yml", "bitbucket-pipelines.yml"}},
      {"login file",
       "the desktop, a shell",
       {"*.desktop",
        ".config/autostart/",
        ".local/share/applications/",
        ".local/share/dbus-1/services/",
        ".config/systemd/user/",
        ".config/environment.d/",
        ".pam_environment",
        ".profile",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bashrc",
        ".zshenv",
        ".zshrc",
        ".zprofile",
        ".zlogin",
        ".xprofile",
        ".xinitrc",
        ".xsession",
        ".ssh/",
        ".gitconfig",
        ".config/git/",
        ".config/fish/",
        ".local/bin/"}},
      {"dependencies or build results",
       "the build, tests",
       {"node_modules/", "site-packages/", "vendor/", "target/"},
       SurfaceScope::whole}};
  return groups;
}

std::string_view last_component(std::string_view path) { return path.substr(path.rfind('/') + 1); }

struct Pattern {
  std::string_view text;  // without the trailing slash
  std::string_view last;
  SurfaceRule rule;
};

struct Table {
  std::vector<Pattern> plain;  // sorted by the last component
  std::vector<Pattern> wild;
};

const Table& table() {
  static const Table made = [] {
    Table out;
    for (const RuleGroup& group : rule_groups()) {
      for (const std::string_view pattern : group.patterns) {
        SurfaceRule rule{pattern, group.kind, group.run_by, group.scope};
        std::string_view text = pattern;
        if (text.ends_with('/')) {
          text.remove_suffix(1);
          if (rule.scope == SurfaceScope::file) rule.scope = SurfaceScope::tree;
        }
        const std::string_view last = last_component(text);
        (last.find('*') == std::string_view::npos ? out.plain : out.wild).push_back({text, last, rule});
      }
    }
    std::stable_sort(out.plain.begin(), out.plain.end(),
                     [](const Pattern& one, const Pattern& other) { return one.last < other.last; });
    return out;
  }();
  return made;
}

bool matches_component(std::string_view pattern, std::string_view text) {
  if (pattern.find('*') == std::string_view::npos) return pattern == text;
  return ::fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), FNM_NOESCAPE) == 0;
}

bool matches(const Pattern& pattern, std::string_view path, SurfaceType type) {
  const bool directory = pattern.rule.scope != SurfaceScope::file;
  if (type != SurfaceType::link && directory != (type == SurfaceType::directory)) return false;
  std::string_view wanted = pattern.text;
  while (true) {
    if (!matches_component(last_component(wanted), last_component(path))) return false;
    const std::size_t next = wanted.rfind('/');
    if (next == std::string_view::npos) return true;
    const std::size_t above = path.rfind('/');
    if (above == std::string_view::npos) return false;
    wanted = wanted.substr(0, next);
    path = path.substr(0, above);
  }
}

}  // namespace

const SurfaceRule* find_surface_rule(std::string_view path, SurfaceType type) {
  const std::string_view last = last_component(path);
  const std::vector<Pattern>& plain = table().plain;
  const auto before = [](const Pattern& pattern, std::string_view name) { return pattern.last < name; };
  for (auto at = std::lower_bound(plain.begin(), plain.end(), last, before); at != plain.end() && at->last == last;
       ++at) {
    if (matches(*at, path, type)) return &at->rule;
  }
  for (const Pattern& pattern : table().wild) {
    if (matches(pattern, path, type)) return &pattern.rule;
  }
  return nullptr;
}

const SurfaceRule& git_hook_rule() { return *find_surface_rule(".git/hooks", SurfaceType::directory); }

}  // namespace agentctl::manager
