# SPDX-License-Identifier: Apache-2.0
"""A project's own policy: what it may take away, what it may not give, and the user's word for just one content of it."""
import pathlib
import stat
import unittest

from machine import Machine
from pty_driver import PtyDriver

WIDER = '[files]\nread-only = ["~/reference"]\n'
NARROWER = "[limits]\ntasks-max = 100\n"


class Project(Machine):
    """A machine with a directory that only a wider policy shows."""

    def __init__(self, text=WIDER):
        super().__init__()
        (self.home / "reference").mkdir()
        (self.home / "reference/page").write_text("shown\n")
        self.file = self.project / ".agentctl.toml"
        self.file.write_text(text)
        self.list = self.home / ".config/agentctl/trust.toml"

    def page(self):
        return self.start(f"cat {self.home}/reference/page", "-q")


class Untrusted(unittest.TestCase):
    def test_sec_06_what_would_widen_is_refused_with_its_place_and_the_remedy(self):
        with Project() as machine:
            done = machine.page()
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, r"^agentctl: \S+/\.agentctl\.toml:2:14: error: .*must not widen .* '~/reference'\n")
            self.assertRegex(done.stderr, r"(?m)^hint: look at it; 'agentctl trust \S+/project' lets it$")
            self.assertEqual(machine.processes(), [])

    def test_fs_08_a_link_of_the_project_gives_nothing_and_its_policy_cannot_make_it_give(self):
        with Project() as machine:
            secret = machine.home / ".ssh"
            secret.mkdir()
            (secret / "id").write_text("secret")
            (machine.project / "keys").symlink_to(secret)
            machine.file.write_text('[files]\nread-write = ["keys"]\n')
            self.assertEqual(machine.start("cat keys/id").returncode, 3)
            machine.file.unlink()
            done = machine.start("cat keys/id; ls -d keys")
            self.assertNotIn("secret", done.stdout)
            self.assertIn("No such file", done.stderr)
            # The user's own word counts, and what it gives is told by its canonical name.
            done = machine.start("cat keys/id", "-q", "--ro", "keys")
            self.assertEqual(done.stdout, "secret", done.stderr)
            self.assertIn(f"end\":\"{secret}", machine.run("explain", "--json", "--ro", "keys", "keys").stdout)

    def test_mask_12_a_hidden_file_is_shown_again_by_the_users_policy_and_never_by_the_projects(self):
        with Project('[files]\nhide = ["!./secret"]\n') as machine:
            (machine.project / "secret").write_text("secret\n")
            user = machine.home / ".config/agentctl/profiles/shell.toml"
            user.parent.mkdir(parents=True)
            user.write_text('[files]\nhide = ["./secret"]\n')
            self.assertEqual(machine.start("cat secret", "-q").returncode, 3)
            machine.file.unlink()
            self.assertEqual(machine.start("cat secret", "-q").stdout, "")
            (machine.home / ".config/agentctl/policy.toml").write_text('[files]\nhide = ["!./secret"]\n')
            self.assertEqual(machine.start("cat secret", "-q").stdout, "secret\n")

    def test_what_narrows_counts_without_trust(self):
        with Project(NARROWER) as machine:
            self.assertIn("tasks-max 100", machine.run("start", "--dry-run", "--", "true").stdout)

    def test_a_file_of_the_project_that_is_a_link_is_refused(self):
        with Project() as machine:
            machine.file.unlink()
            machine.file.symlink_to(machine.home / "reference/page")
            done = machine.start("true")
            self.assertEqual(done.returncode, 3)
            self.assertIn("it is a link", done.stderr)
            self.assertNotIn("shown", done.stderr)


class Trusted(unittest.TestCase):
    def test_a_trusted_file_widens_as_long_as_its_content_stays(self):
        with Project() as machine:
            done = machine.run("trust", ".")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^trusted \S+/project/\.agentctl\.toml sha256 [0-9a-f]{64}\n$")
            self.assertEqual(stat.S_IMODE(machine.list.stat().st_mode), 0o600)
            self.assertEqual(machine.page().stdout, "shown\n")
            machine.file.write_text(WIDER + "# changed\n")
            done = machine.page()
            self.assertEqual(done.returncode, 3)
            self.assertIn("hint: it has changed since you trusted it", done.stderr)
            self.assertEqual(machine.run("trust", "--list").stdout, f"changed  {machine.project}\n")

    def test_a_changed_file_that_only_narrows_counts_and_the_change_is_told(self):
        with Project() as machine:
            machine.run("trust", ".")
            machine.file.write_text(NARROWER)
            done = machine.start("true")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("has changed since it was trusted: it can only take away until it is trusted again", done.stderr)

    def test_a_copy_of_a_trusted_project_elsewhere_is_not_trusted(self):
        with Project() as machine:
            machine.run("trust", ".")
            other = machine.home / "other"
            other.mkdir()
            (other / ".agentctl.toml").write_text(WIDER)
            self.assertEqual(machine.run("start", "-C", str(other), "--", "true").returncode, 3)
            # The same directory by another name is the same project.
            (machine.home / "link").symlink_to(machine.project)
            done = machine.run("start", "-q", "-C", str(machine.home / "link"), "--", "cat", f"{machine.home}/reference/page")
            self.assertEqual(done.stdout, "shown\n", done.stderr)

    def test_what_nobody_may_have_stays_refused(self):
        with Project('[files]\nread-write = ["~/.config/agentctl"]\n') as machine:
            machine.run("trust", ".")
            self.assertEqual(machine.page().returncode, 3)

    def test_trust_can_be_taken_back_also_from_a_project_that_is_gone(self):
        with Project() as machine:
            machine.run("trust", ".")
            machine.project.rename(machine.home / "moved")
            self.assertEqual(machine.run("trust", "--list", cwd=machine.home).stdout, f"gone  {machine.project}\n")
            self.assertEqual(machine.run("trust", "--remove", str(machine.project), cwd=machine.home).returncode, 0)
            self.assertEqual(machine.run("trust", "--list", cwd=machine.home).stdout, "")
            done = machine.run("trust", "--remove", str(machine.project), cwd=machine.home)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is not trusted", done.stderr)

    def test_only_a_sound_file_that_is_there_can_be_trusted(self):
        with Project("[oops]\n") as machine:
            done = machine.run("trust", ".")
            self.assertEqual(done.returncode, 3)
            self.assertIn("unknown table 'oops'", done.stderr)
            machine.file.unlink()
            self.assertEqual(machine.run("trust", ".").returncode, 2)
            self.assertFalse(machine.list.exists())

    def test_a_list_that_others_may_write_or_that_is_spoilt_stops_the_start(self):
        with Project() as machine:
            machine.run("trust", ".")
            machine.list.chmod(0o666)
            done = machine.page()
            self.assertEqual(done.returncode, 3)
            self.assertIn("others may write it", done.stderr)
            machine.list.chmod(0o600)
            machine.list.write_text("[trusted]\nnonsense\n")
            done = machine.page()
            self.assertEqual(done.returncode, 3)
            self.assertIn("trust.toml:2: not a line of a list of trust", done.stderr)


class FromInside(unittest.TestCase):
    def test_a_session_can_neither_trust_nor_change_what_is_trusted(self):
        with Project() as machine:
            machine.run("trust", ".")
            before = machine.list.read_bytes()
            inside = pathlib.Path(machine.agentctl)
            script = f"""
              echo x >> .agentctl.toml; echo "append $?"
              mv .agentctl.toml other; echo "rename $?"
              rm -f .agentctl.toml; echo "remove $?"
              ls {machine.list}; echo "list $?"
              {inside} trust .; echo "trust $?"
              env -u AGENTCTL {inside} trust .; echo "trust $?"
            """
            done = machine.start(script, "--ro", str(inside))
            results = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
            self.assertEqual({name: status != "0" for name, status in results.items()},
                             {"append": True, "rename": True, "remove": True, "list": True, "trust": True}, done.stdout)
            self.assertIn("cannot change what is trusted from inside a session", done.stderr)
            self.assertEqual(machine.list.read_bytes(), before)
            self.assertEqual(machine.file.read_text(), WIDER)

    def test_a_file_that_a_session_makes_widens_nothing_at_the_next_start(self):
        with Project() as machine:
            machine.file.unlink()
            machine.start("printf '[files]\\nread-only = [\"~/reference\"]\\n' > .agentctl.toml")
            self.assertTrue(machine.file.exists())
            self.assertEqual(machine.page().returncode, 3)


class Asking(unittest.TestCase):
    def ask(self, machine, answer):
        argv = [machine.agentctl, "trust", "."]
        with PtyDriver(argv, machine.environment, machine.project) as terminal:
            terminal.expect(r"\[y/N\] ")
            shown = terminal.raw
            terminal.send(answer)
            return terminal.wait(), shown

    def test_on_a_terminal_the_file_is_shown_first_and_only_yes_is_yes(self):
        with Project("# \u202ecleared\n" + WIDER) as machine:
            for answer in ("n\r", "\r", "yess\r"):
                status, shown = self.ask(machine, answer)
                self.assertNotEqual(status, 0)
                self.assertFalse(machine.list.exists())
            self.assertIn(b"\\u202ecleared", shown)
            self.assertNotIn("\u202e".encode(), shown)
            self.assertIn(b"~/reference", shown)
            status, _ = self.ask(machine, "y\r")
            self.assertEqual(status, 0)
            self.assertEqual(machine.run("trust", "--list").stdout, f"trusted  {machine.project}\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
