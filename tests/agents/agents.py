# SPDX-License-Identifier: Apache-2.0
"""The agents driven by the tests: what each finds in its home, and how it is called, headless and full-screen."""
import json
import textwrap

import install


class Claude:
    name = "claude"
    key = "sk-ant-dummy"

    def __init__(self, model_url):
        self.environment = {
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": self.key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",  # as uid 0 it refuses bypassPermissions without
        }

    def furnish(self, home, project):
        """Past the first run's questions: onboarding done, key approved, project trusted, bypass mode accepted."""
        (home / ".claude").mkdir()
        (home / ".claude/settings.json").write_text(json.dumps({"skipDangerousModePermissionPrompt": True}))
        (home / ".claude.json").write_text(json.dumps({
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [self.key], "rejected": []},
            "projects": {str(project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }))

    def headless(self, prompt):
        return [install.binary("claude"), "-p", prompt, "--model", "claude-sonnet-4-5", "--permission-mode", "bypassPermissions",
                "--output-format", "text"]

    def full_screen(self):
        return [install.binary("claude"), "--model", "claude-sonnet-4-5", "--permission-mode", "bypassPermissions"]


class Codex:
    name = "codex"

    def __init__(self, model_url):
        self.model_url = model_url
        self.environment = {"FAKE_API_KEY": "dummy"}

    def furnish(self, home, project):
        (home / ".codex").mkdir()
        (home / ".codex/config.toml").write_text(textwrap.dedent(f"""\
            model = "fake-model"
            model_provider = "fake"
            check_for_update_on_startup = false
            [analytics]
            enabled = false
            [features]
            plugins = false
            apps = false
            [model_providers.fake]
            name = "fake"
            base_url = "{self.model_url}/v1"
            env_key = "FAKE_API_KEY"
            wire_api = "responses"
            [projects."{project}"]
            trust_level = "trusted"
            """))

    def headless(self, prompt):
        return [install.binary("codex"), "exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", prompt]

    def full_screen(self):
        return [install.binary("codex"), "--dangerously-bypass-approvals-and-sandbox"]


AGENTS = {agent.name: agent for agent in (Claude, Codex)}
