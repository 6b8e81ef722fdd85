# SPDX-License-Identifier: Apache-2.0
"""A session's copy of a file stays its own, with what it has written there, when the host replaces the file."""
import os
import unittest

from machine import Machine
from mask_view import MaskView, replace

HOST, NEW, OWN = "the host's\n", "the host's later\n", "the session's\n"


class CopiesSurvive(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def check(self, path, *options):
        path.write_text(HOST)
        os.mkfifo(self.machine.project / "go")
        append = f"echo \"the session's\" >> {path}"
        script = f"{append}; echo ready > .ready; read line < go; {append}; echo written > .ready; exec sleep 1000"
        with self.machine.session(script, *options, waits=True) as session:
            view = MaskView(session)
            self.assertEqual((view / path).read_text(), HOST + OWN)
            for _ in range(2):
                replace(path, NEW)
                view.wait(lambda: view.is_mount_point(path), "the copy to be back")
                self.assertEqual((view / path).read_text(), HOST + OWN)
            (self.machine.project / "go").write_text("on\n")
            self.assertEqual(session.hear(), "written\n")
            self.assertEqual(path.read_text(), NEW, "the host's file is not written")
            replace(path, HOST)
            view.wait(lambda: view.is_mount_point(path), "the copy to be back")
            self.assertEqual((view / path).read_text(), HOST + OWN + OWN)
            self.assertEqual((view / path).stat().st_mode & 0o777, 0o600)
            self.machine.run("stop", session.name)
            done = session.finish()
        told = f"'{path}' was replaced on the host: the session keeps its copy"
        self.assertEqual(done.stderr.count(told), 1, done.stderr)
        self.assertEqual(path.read_text(), HOST)

    def test_a_copy_in_the_project_is_kept_and_the_host_s_file_is_not_written(self):
        self.check(self.machine.project / "settings.json", "--copy", "settings.json")

    def test_a_copy_in_a_read_only_home_is_kept(self):
        policy = self.machine.home / ".config/agentctl/policy.toml"
        policy.parent.mkdir(parents=True)
        policy.write_text('[files]\nhome = "read-only"\n')
        self.check(self.machine.home / ".toolrc", "--copy", "~/.toolrc")

    def test_a_directory_in_the_place_of_a_copied_file_ends_the_session(self):
        path = self.machine.project / "settings.json"
        path.write_text(HOST)
        with self.machine.session("true", "--copy", "settings.json") as session:
            path.unlink()
            path.mkdir()
            done = session.finish()
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn(f"'{path}' does not stay as it was put", done.stderr)

    def test_a_copy_that_the_host_removes_is_gone_until_the_file_is_there_again(self):
        path = self.machine.project / "settings.json"
        path.write_text(HOST)
        with self.machine.session("echo \"the session's\" > settings.json", "--copy", "settings.json") as session:
            view = MaskView(session)
            path.unlink()
            self.assertFalse((view / path).exists())
            path.write_text(NEW)
            view.wait(lambda: view.is_mount_point(path), "the copy to be back")
            self.assertEqual((view / path).read_text(), OWN)


class PersistentHome(unittest.TestCase):
    """What is mounted there stands on names of the home's own, which the host does not replace: no guard is needed."""

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        policy = self.machine.home / ".config/agentctl/policy.toml"
        policy.parent.mkdir(parents=True)
        policy.write_text('[files]\nhome = "persistent"\n')

    def test_a_file_that_the_host_replaces_stays_as_it_was_shown(self):
        path = self.machine.home / ".gitconfig"
        path.write_text("[user]\n")
        with self.machine.session("true") as session:
            view = MaskView(session)
            replace(path, "[core]\n")
            path.unlink()
            path.write_text("[alias]\n")
            self.assertTrue(view.is_mount_point(path))
            self.assertTrue(view.is_read_only(path))
            self.assertEqual((view / path).read_text(), "[user]\n")

    def test_what_is_hidden_in_a_directory_of_the_host_s_is_guarded(self):
        path = self.machine.home / "reference/key"
        path.parent.mkdir()
        path.write_text(HOST)
        with self.machine.session("true", "--ro", "~/reference", "--hide", "~/reference/key", "--hide", "~/reference/new") as session:
            view = MaskView(session)
            replace(path, NEW)
            view.wait_until_hidden(path)
            made = path.with_name("new")
            made.write_text(NEW)
            view.wait_until_hidden(made)


if __name__ == "__main__":
    unittest.main(verbosity=2)
