# SPDX-License-Identifier: Apache-2.0
"""Logins and settings that agents replace by renaming a new file over the old one."""
import json
import unittest

import home_zoo
from machine import Machine

LOGINS = {"claude": ".claude/.credentials.json", "codex": ".codex/auth.json", "gemini": ".gemini/oauth_creds.json",
          "pi": ".pi/agent/auth.json", "opencode": ".local/share/opencode/auth.json", "goose": ".config/goose/secrets.yaml",
          "cursor-agent": ".config/cursor/auth.json", "aider": ".aider/oauth-keys.env"}
# A refresh as agents do it: read, write a new file beside it, rename. Under a lock, as claude takes one.
ROTATE = """
until mkdir {login}.lock 2>/dev/null; do :; done
n=$(cat {login}); echo $((n + 1)) > {login}.tmp.$$ && mv {login}.tmp.$$ {login}
rmdir {login}.lock
"""


class Logins(unittest.TestCase):
    def test_state_04_a_login_renewed_inside_is_the_hosts_and_the_next_sessions(self):
        for profile, name in LOGINS.items():
            with Machine() as machine:
                login = home_zoo.write(machine.home / name, "1\n")
                before = login.stat().st_ino
                done = machine.start(ROTATE.format(login=login), "--profile", profile)
                self.assertEqual((done.returncode, login.read_text()), (0, "2\n"), f"{profile}: {done.stderr}")
                self.assertNotEqual(login.stat().st_ino, before, f"{profile}: it was not renamed over")
                done = machine.start(f"cat {login}", "--profile", profile)
                self.assertEqual(done.stdout, "2\n", f"{profile}: {done.stderr}")
                self.assertEqual(sorted(path.name for path in login.parent.iterdir()), [login.name])

    def test_state_04_two_sessions_that_renew_at_once_lose_no_renewal_and_a_killed_one_none_either(self):
        with Machine() as machine:
            login = home_zoo.write(machine.home / LOGINS["claude"], "0\n")
            with machine.session(ROTATE.format(login=login), "--profile", "claude"):
                self.assertEqual(login.read_text(), "1\n")
                done = machine.start(ROTATE.format(login=login) * 50, "--name", "second", "--profile", "claude")
                self.assertEqual(done.returncode, 0, done.stderr)
            # The block has killed the first one's supervisor.
            self.assertEqual(login.read_text(), "51\n")

    def test_state_05_a_login_renewed_on_the_host_is_seen_by_a_session_that_runs(self):
        with Machine() as machine:
            login = home_zoo.write(machine.home / LOGINS["claude"], "1\n")
            script = f"echo ready > .ready; until [ \"$(cat {login})\" = 2 ]; do :; done; echo seen > .ready; exec sleep 1000"
            with machine.session(script, "--profile", "claude", waits=True) as session:
                home_zoo.write(login.with_name("new"), "2\n").rename(login)
                self.assertEqual(session.hear(), "seen\n")

    def test_state_01_and_08_the_settings_are_a_copy_and_the_program_cannot_be_changed(self):
        with Machine() as machine:
            settings = home_zoo.write(machine.home / ".claude.json", json.dumps({"theme": "dark"}))
            home_zoo.write(machine.home / ".claude/.credentials.json", "1\n")
            program = home_zoo.program(machine.home / ".local/share/claude/versions/1", "claude-1")
            before = home_zoo.listing(machine.home / ".local/share"), settings.read_text(), settings.stat()
            save = "i=0; while [ $i -lt 200 ]; do i=$((i + 1)); echo \"{\\\"n\\\": $i}\" > ~/.claude.json.tmp.$$ && mv ~/.claude.json.tmp.$$ ~/.claude.json || exit 9; done"
            done = machine.start(f"cat ~/.claude.json; {save}; cat ~/.claude.json; touch {program.parent}/x && echo wrote; echo $DISABLE_AUTOUPDATER",
                                 "--profile", "claude")
            self.assertEqual(done.stdout.split("\n"), ['{"theme": "dark"}{"n": 200}', "1", ""], done.stderr)
            after = home_zoo.listing(machine.home / ".local/share"), settings.read_text(), settings.stat()
            self.assertEqual(after[:2], before[:2])
            self.assertEqual(after[2].st_ino, before[2].st_ino)
            self.assertEqual(sorted(path.name for path in machine.home.glob(".claude*")), [".claude", ".claude.json"])

    def test_state_08_an_update_on_the_host_does_not_end_a_session(self):
        with Machine() as machine:
            versions = machine.home / ".local/share/claude/versions"
            first = home_zoo.write(versions / "1", "#!/bin/sh\necho ready > .ready; read answer < .answer; echo $answer > .ready; exec sleep 1000\n", 0o755)
            (machine.home / ".local/bin").mkdir(parents=True)
            link = machine.home / ".local/bin/claude"
            link.symlink_to(first)
            machine.environment["PATH"] = f"{link.parent}:{machine.environment['PATH']}"
            with machine.session("mkfifo .answer; exec claude", "--profile", "claude", waits=True) as session:
                home_zoo.program(versions / "2", "claude-2")
                link.unlink()
                link.symlink_to(versions / "2")
                first.unlink()
                (machine.project / ".answer").write_text("lives\n")
                self.assertEqual(session.hear(), "lives\n")
            self.assertEqual(machine.start("claude").stdout, "claude-2\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
