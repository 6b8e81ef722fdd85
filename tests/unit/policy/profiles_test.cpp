// SPDX-License-Identifier: Apache-2.0
#include "policy/profiles.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "policy/env_name.h"
#include "policy/glob.h"
#include "policy/host_list.h"
#include "policy/host_rule.h"
#include "policy/policy_check.h"
#include "policy/policy_merge.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::policy {
namespace {

bool holds(const Entries& entries, std::string_view text) {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.text == text; });
}

Policy built_in(std::string_view name) {
  auto policy = load_profile(name, "");
  REQUIRE_MESSAGE(policy, (policy ? "" : policy.error().message));
  return std::move(*policy);
}

}  // namespace

TEST_SUITE_BEGIN("profiles");

TEST_CASE("every profile that we ship reads, merges over the default and passes the checks") {
  for (const std::string& name : profile_names("")) {
    CAPTURE(name);
    std::vector<Diagnostic> mistakes;
    const Policy merged = merge(built_in_default(), built_in(name), mistakes);
    for (const Diagnostic& mistake : check(merged)) mistakes.push_back(mistake);
    for (const Diagnostic& mistake : mistakes) FAIL_CHECK(render(mistake));
    CHECK_EQ(merged.command.has_value(), name != "default");
  }
}

// Others would be looked for in the whole project: see bwrap/default_globs.h.
TEST_CASE("every glob that is built in matches a name at any depth") {
  std::size_t globs = 0;
  for (const std::string& name : profile_names("")) {
    for (const Entry& entry : built_in(name).files.hide) {
      if (!is_glob(entry.text)) continue;
      ++globs;
      CHECK_MESSAGE(!Glob(cat("/p/", entry.text.substr(2))).name_at_any_depth().empty(), entry.text);
    }
  }
  CHECK_GT(globs, 20);
}

TEST_CASE("a fresh machine needs nothing that a profile names") {
  for (const std::string& name : profile_names("")) {
    CAPTURE(name);
    const FileSettings files = built_in(name).files;
    for (const Entries* list : {&files.read_only, &files.read_write, &files.copy, &files.protect}) {
      for (const Entry& entry : *list) CHECK_MESSAGE(holds(files.optional, entry.text), entry.text);
    }
  }
}

TEST_CASE("the default passes no variable that carries a secret, a socket or code") {
  const Policy policy = built_in_default();
  for (const char* name : {"ANTHROPIC_API_KEY",
                           "AWS_SECRET_ACCESS_KEY",
                           "GITHUB_TOKEN",
                           "SSH_AUTH_SOCK",
                           "DOCKER_HOST",
                           "KUBECONFIG",
                           "DBUS_SESSION_BUS_ADDRESS",
                           "XDG_RUNTIME_DIR",
                           "XAUTHORITY",
                           "LD_PRELOAD",
                           "NODE_OPTIONS",
                           "PYTHONPATH",
                           "BASH_ENV",
                           "ENV",
                           "GIT_SSH_COMMAND",
                           "GIT_CONFIG_GLOBAL",
                           "EDITOR",
                           "PAGER",
                           "HTTPS_PROXY",
                           "NOTIFY_SOCKET",
                           "TMUX"}) {
    CAPTURE(name);
    for (const Entry& entry : policy.env.pass) CHECK_FALSE(matches_env_name(entry.text, name));
  }
  CHECK(holds(policy.env.pass, "TERM"));
  CHECK(policy.files.home->value == HomeMode::private_home);
  CHECK(policy.files.read_write.empty());
}

TEST_CASE("each agent has its state as a directory and its own key") {
  const Policy claude = built_in("claude");
  CHECK(holds(claude.files.read_write, "~/.claude"));
  CHECK(holds(claude.files.copy, "~/.claude.json"));
  CHECK(holds(claude.env.pass, "ANTHROPIC_API_KEY"));
  CHECK_EQ(claude.env.set.at("IS_SANDBOX").value, "1");
  CHECK_EQ(claude.env.set.at("DISABLE_AUTOUPDATER").value, "1");
  const Policy codex = built_in("codex");
  CHECK(holds(codex.files.read_write, "~/.codex"));
  CHECK_EQ(codex.command->value.back(), "--dangerously-bypass-approvals-and-sandbox");
  CHECK_EQ(built_in("gemini").env.set.at("GEMINI_CLI_NO_RELAUNCH").value, "true");
  CHECK(holds(built_in("pi").files.read_write, "~/.pi/agent"));
  CHECK_EQ(built_in("opencode").files.read_write.size(), 3);
}

TEST_CASE("each agent may reach its model, and all the same registries and git hosts, by names alone") {
  const auto allowed = [](std::string_view agent, std::string_view host) {
    return holds(built_in(agent).hosts.allow, host);
  };
  CHECK(allowed("claude", "api.anthropic.com"));
  CHECK(allowed("codex", "api.openai.com"));
  CHECK(allowed("gemini", "generativelanguage.googleapis.com"));
  CHECK(allowed("cursor-agent", "*.cursor.sh"));
  for (const std::string& name : profile_names("")) {
    CAPTURE(name);
    const HostSettings hosts = built_in(name).hosts;
    if (name == "default" || name == "shell") {
      CHECK(all_allowed(hosts).empty());
      continue;
    }
    CHECK_FALSE(hosts.allow.empty());
    for (const char* host : {"github.com", "github.com:22", "registry.npmjs.org", "pypi.org", "files.pythonhosted.org",
                             "static.crates.io", "proxy.golang.org", "repo.maven.apache.org"}) {
      CHECK_MESSAGE(holds(hosts.commands, host), host);
      CHECK_MESSAGE(!holds(hosts.allow, host), host);
    }
    CHECK(hosts.deny.empty());
    const Entries reached = all_allowed(hosts);
    CHECK(find_opened_beyond_nat(reached) == nullptr);
    for (const Entry& entry : reached) {
      const auto rule = parse_allow_rule(entry.text);
      REQUIRE_MESSAGE(rule.has_value(), entry.text);
      CHECK_MESSAGE(remark(*rule).find("anybody") == std::string::npos, entry.text);
    }
  }
}

TEST_CASE("no profile of ours chooses an allowlist, whose hosts a user's own work may need more of") {
  for (const std::string& name : profile_names("")) {
    CAPTURE(name);
    const auto network = built_in(name).network;
    CHECK((!network || network->value == NetworkMode::host));
  }
}

TEST_CASE("no profile of ours makes a single file writable") {
  for (const std::string& name : profile_names("")) {
    for (const Entry& entry : built_in(name).files.read_write) {
      const std::string last = entry.text.substr(entry.text.rfind('/') + 1);
      CHECK_MESSAGE(last.find('.', 1) == std::string::npos, entry.text);
    }
  }
}

TEST_CASE("a user's own profile goes before ours and may be new") {
  const test::ScratchDir dir;
  dir.write("profiles/claude.toml", "[agent]\ncommand = [\"my-claude\"]\n");
  dir.write("profiles/crush.toml", "[agent]\ncommand = [\"crush\"]\n");
  dir.write("profiles/notes.txt", "");
  CHECK_EQ(load_profile("claude", dir.path())->command->value[0], "my-claude");
  CHECK_EQ(load_profile("crush", dir.path())->command->value[0], "crush");
  CHECK_EQ(load_profile("codex", dir.path())->command->value[0], "codex");
  const auto names = profile_names(dir.path());
  CHECK_EQ(std::count(names.begin(), names.end(), "crush"), 1);
  CHECK_EQ(std::count(names.begin(), names.end(), "claude"), 1);
  CHECK_EQ(std::count(names.begin(), names.end(), "notes"), 0);
}

TEST_CASE("a broken profile of the user is an error, not ours in its place") {
  const test::ScratchDir dir;
  dir.write("profiles/claude.toml", "[agnt]\n");
  CHECK_FALSE(load_profile("claude", dir.path()));
}

TEST_CASE("an unknown profile is refused with the names there are") {
  const auto policy = load_profile("cluade", "");
  REQUIRE_FALSE(policy);
  CHECK(policy.error().kind == ErrorKind::usage);
  CHECK_EQ(policy.error().message, "profile 'cluade' not found; did you mean 'claude'?");
  CHECK_EQ(policy.error().hint,
           "there are: aider, claude, codex, cursor-agent, default, gemini, goose, opencode, pi, shell");
}

TEST_CASE("the name of a profile is never a path") {
  const test::ScratchDir dir;
  dir.write("evil.toml", "");
  for (const char* name : {"../evil", "/etc/passwd", "", ".", "..", "-x", "a/b", "a\nb"}) {
    CAPTURE(name);
    CHECK_FALSE(load_profile(name, dir.path()));
  }
}

TEST_CASE("the profile follows from the command's base name") {
  CHECK_EQ(profile_for_command("/usr/local/bin/claude"), "claude");
  CHECK_EQ(profile_for_command("codex"), "codex");
  for (const char* shell : {"sh", "/bin/bash", "zsh", "fish", "dash"}) CHECK_EQ(profile_for_command(shell), "shell");
  for (const char* other : {"make", "", "/", "claude/", "claude2", "embedded"})
    CHECK_EQ(profile_for_command(other), "default");
}

TEST_CASE("a user's own profile is found by the command too") {
  const test::ScratchDir dir;
  dir.write("profiles/crush.toml", "");
  dir.write("profiles/zsh.toml", "");
  CHECK_EQ(profile_for_command("/usr/bin/crush", dir.path()), "crush");
  CHECK_EQ(profile_for_command("zsh", dir.path()), "zsh");
  CHECK_EQ(profile_for_command("bash", dir.path()), "shell");
  CHECK_EQ(profile_for_command("crush"), "default");
}

TEST_SUITE_END();

}  // namespace agentctl::policy
