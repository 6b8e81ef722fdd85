# SPDX-License-Identifier: Apache-2.0
"""The agents driven by the tests: what each finds in its home, and how it is called, headless and full-screen."""
import json
import textwrap


class Claude:
    name = "claude"
    key = "sk-ant-dummy"

    def __init__(self, model_url):
        self.environment = {
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": self.key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
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
        return ["claude", "-p", prompt, "--model", "claude-sonnet-4-5", "--permission-mode", "bypassPermissions",
                "--output-format", "text"]

    def full_screen(self):
        return ["claude", "--model", "claude-sonnet-4-5", "--permission-mode", "bypassPermissions"]

    drawn = "❯"

    def interrupt(self, terminal):
        terminal.send("\x03")

    def leave(self, terminal):
        mark = terminal.mark()
        terminal.send("/exit")
        terminal.expect("Exit the CLI", since=mark)
        terminal.send("\r")


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
        return ["codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", prompt]

    def full_screen(self):
        return ["codex", "--dangerously-bypass-approvals-and-sandbox"]

    drawn = "Ask Codex"

    def interrupt(self, terminal):
        mark = terminal.mark()
        terminal.send("\x03")
        terminal.expect("Cancel task", since=mark)  # it asks what to do with the running task
        terminal.send("\r")

    def leave(self, terminal):
        mark = terminal.mark()
        terminal.send("/quit")
        terminal.expect("/quit", since=mark)
        terminal.send("\r")


AGENTS = {agent.name: agent for agent in (Claude, Codex)}
