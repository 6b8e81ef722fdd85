# SPDX-License-Identifier: Apache-2.0
"""A known place of secrets that a rule of the user's own shows is told, with the rule; nothing else is."""
import unittest

from machine import Machine

SECRET = "s3cret-canary\n"


class ShownSecrets(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        for name in (".ssh/id_ed25519", ".ssh/known_hosts", ".aws/credentials", ".config/gh/hosts.yml", ".claude/x", "notes/x"):
            path = self.machine.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SECRET)

    def told(self, *options, read=()):
        """What a start warns of; the files in `read` are read inside."""
        done = self.machine.start(f"cat {' '.join(read)} < /dev/null", *options)
        self.assertEqual((done.returncode, done.stdout), (0, SECRET * len(read)), done.stderr)
        begin = "agentctl: warning: files: "
        return [line.removeprefix(begin) for line in done.stderr.splitlines() if line.startswith(begin)]

    def write(self, name, text):
        path = self.machine.home / ".config/agentctl" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_a_place_that_an_option_shows_is_told_in_one_line(self):
        self.assertEqual(self.told("--ro", "~/.ssh", read=("~/.ssh/id_ed25519",)), ["--ro shows '~/.ssh', a known place of secrets"])
        self.assertEqual(self.told("--rw", "~/.aws", read=("~/.aws/credentials",)), ["--rw shows '~/.aws', a known place of secrets"])
        self.assertEqual(self.told("--copy", "~/.aws/credentials", read=("~/.aws/credentials",)),
                         ["--copy shows '~/.aws/credentials', in a known place of secrets"])

    def test_a_line_of_the_users_policy_is_told_with_its_place_and_in_status(self):
        policy = self.write("policy.toml", '[files]\nread-only = ["~/notes", "~/.aws"]\n')
        line = f"{policy}:2:25 shows '~/.aws', a known place of secrets"
        self.assertEqual(self.told(read=("~/.aws/credentials",)), [line])
        with self.machine.session(":") as session:
            self.assertIn(f"files: {line}", session.known["warnings"])

    def test_a_directory_above_such_places_is_told_with_their_names(self):
        self.assertEqual(self.told("--ro", "~/.config", read=("~/.config/gh/hosts.yml",)),
                         ["--ro shows known places of secrets in '~/.config': ~/.config/gh"])

    def test_a_place_behind_a_link_is_told(self):
        (self.machine.home / "dots").mkdir()
        (self.machine.home / ".ssh").rename(self.machine.home / "dots/ssh")
        (self.machine.home / ".ssh").symlink_to("dots/ssh")
        self.assertEqual(self.told("--ro", "~/dots/ssh", read=("~/dots/ssh/id_ed25519",)),
                         ["--ro shows '~/.ssh', a known place of secrets"])

    def test_in_a_read_only_home_a_place_that_is_taken_out_of_what_is_hidden_is_told(self):
        self.assertEqual(self.told("--home", "read-only"), [])
        self.assertEqual(self.told("--home", "read-only", "--hide", "!~/.ssh", read=("~/.ssh/id_ed25519",)),
                         ["--hide shows '~/.ssh', a known place of secrets"])

    def test_what_is_no_secret_there_and_what_a_profile_shows_of_its_agent_is_not_told(self):
        self.assertEqual(self.told("--ro", "~/.ssh/known_hosts", "--ro", "~/notes", read=("~/.ssh/known_hosts",)), [])
        self.assertEqual(self.told("-p", "claude", read=("~/.claude/x",)), [])
        self.write("profiles/mine.toml", '[files]\nread-write = ["~/.claude"]\n')
        self.assertEqual(self.told("-p", "mine", read=("~/.claude/x",)), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
