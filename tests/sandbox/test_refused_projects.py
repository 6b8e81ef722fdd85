# SPDX-License-Identifier: Apache-2.0
"""Directories that no agent may have, and tools that a project plants for us to run."""
import os
import pathlib
import unittest

from machine import Machine


class Refusals(unittest.TestCase):
    def refuses(self, machine, directory, reason):
        before = sorted(os.listdir(directory))
        done = machine.run("start", "--", "sh", "-c", "touch ran", cwd=directory)
        self.assertEqual(done.returncode, 3, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        self.assertRegex(lines[0], f"^agentctl: refused to use '.*' as the project: .*{reason}")
        self.assertTrue(lines[1].startswith("hint: "), done.stderr)
        self.assertEqual(sorted(os.listdir(directory)), before)
        self.assertFalse(pathlib.Path(directory, "ran").exists())
        self.assertEqual(machine.records(), [])

    def test_the_home_the_root_and_what_holds_the_home_are_refused(self):
        with Machine() as machine:
            self.refuses(machine, machine.home, "home directory")
            self.refuses(machine, machine.root, "holds the home")
            self.refuses(machine, "/", "whole system")
            self.refuses(machine, "/etc", "'/etc' is the system's")

    def test_the_home_is_refused_by_any_of_its_names(self):
        with Machine() as machine:
            (machine.root / "link").symlink_to(machine.home)
            done = machine.run("start", "-C", str(machine.root / "link"), "--", "true")
            self.assertEqual(done.returncode, 3, done.stderr)
            done = machine.run("start", "-C", "..", "--", "true")
            self.assertEqual(done.returncode, 3, done.stderr)

    def test_the_places_of_our_own_configuration_and_state_are_refused(self):
        with Machine() as machine:
            for name, word in ((".config/agentctl", "configuration"), (".config", "configuration"),
                               (".local/state/agentctl/x", "state"), (".local", "state")):
                directory = machine.home / name
                directory.mkdir(parents=True, exist_ok=True)
                self.refuses(machine, directory, word)

    def test_a_place_of_programs_is_refused(self):
        with Machine() as machine:
            tools = machine.home / "tools"
            (tools / "bin").mkdir(parents=True)
            machine.environment["PATH"] = f"{tools}/bin:{machine.environment['PATH']}"
            self.refuses(machine, tools, "PATH")

    def test_a_place_of_secrets_is_refused_with_what_lies_in_it_and_what_it_leads_to(self):
        with Machine() as machine:
            for name in (".ssh", ".ssh/deeper", ".aws", ".gnupg", ".config/gh", ".local/share/keyrings"):
                directory = machine.home / name
                directory.mkdir(parents=True, exist_ok=True)
                self.refuses(machine, directory, "place of secrets")
            dots = machine.root / "dots"
            (dots / "kube").mkdir(parents=True)
            (machine.home / ".kube").symlink_to(dots / "kube")
            self.refuses(machine, dots / "kube", "'~/.kube', a known place of secrets")
            self.refuses(machine, dots, "it holds known places of secrets: ~/.kube")

    def test_a_place_of_secrets_that_the_user_takes_out_or_hides_is_no_obstacle(self):
        with Machine() as machine:
            keys = machine.home / ".ssh"
            keys.mkdir()
            done = machine.run("start", "--hide", "!~/.ssh", "--", "sh", "-c", "echo made > made", cwd=keys)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((keys / "made").read_text(), "made\n")
            dots = machine.root / "dots"
            (dots / "kube").mkdir(parents=True)
            (dots / "kube/config").write_text("token")
            (machine.home / ".kube").symlink_to(dots / "kube")
            done = machine.run("start", "--hide", "~/.kube", "--", "sh", "-c", "ls -A kube", cwd=dots)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_only_the_user_takes_a_place_of_secrets_out(self):
        with Machine() as machine:
            keys = machine.home / ".ssh"
            keys.mkdir()
            (keys / ".agentctl.toml").write_text('[files]\nhide = ["!~/.ssh"]\n')
            done = machine.run("start", "--", "sh", "-c", "touch ran", cwd=keys)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(".agentctl.toml:2:", done.stderr)
            self.assertFalse((keys / "ran").exists())

    def test_such_a_place_cannot_be_made_writable_beside_a_project(self):
        with Machine() as machine:
            for path in (machine.home, machine.home / ".config", "/", "/etc"):
                pathlib.Path(path).mkdir(exist_ok=True)
                done = machine.run("start", "--rw", str(path), "--", "touch", "ran")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertRegex(done.stderr, "^agentctl: --rw: ")
                self.assertFalse((machine.project / "ran").exists())


class PlantedTools(unittest.TestCase):
    """A project with bwrap, systemd and other tools of its own, first in PATH: they write down that they were run."""

    def plant(self, machine):
        directory = machine.project / "node_modules/.bin"
        directory.mkdir(parents=True)
        for name in ("bwrap", "git", "sh", "systemd", "systemd-run", "systemctl", "agentctl-stage", "true", "id"):
            tool = directory / name
            tool.write_text(f"#!/bin/sh\necho {name} >> {machine.root}/executed\n")
            tool.chmod(0o755)
        machine.environment["PATH"] = f"{directory}:{machine.environment['PATH']}"
        return machine.root / "executed"

    def test_no_planted_tool_is_executed_on_the_host(self):
        with Machine() as machine:
            executed = self.plant(machine)
            done = machine.run("start", "--", "/bin/sh", "-c", "echo ran > ran")
            # A PATH that leads into the project is refused; what matters is that nothing planted was executed.
            self.assertIn(done.returncode, (0, 3), done.stderr)
            machine.run("status")
            self.assertFalse(executed.exists(), executed.exists() and executed.read_text())

    def test_no_planted_tool_is_executed_when_path_names_it_relatively(self):
        with Machine() as machine:
            executed = self.plant(machine)
            machine.environment["PATH"] = "node_modules/.bin:.:" + "/usr/bin:/bin"
            done = machine.run("start", "--", "sh", "-c", "command -v sh; id -u")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse(executed.exists())
            self.assertNotIn("node_modules", done.stdout)

    def test_a_bwrap_of_path_is_not_taken(self):
        with Machine() as machine:
            directory = machine.root / "bin"
            directory.mkdir()
            skip_options = 'while [ "$1" != -- ]; do shift; done; shift'
            (directory / "bwrap").write_text(f'#!/bin/sh\necho taken > {machine.root}/executed\n{skip_options}\nexec "$@"\n')
            (directory / "bwrap").chmod(0o755)
            machine.environment["PATH"] = f"{directory}:{machine.environment['PATH']}"
            done = machine.start("echo inside; cat /proc/1/comm")
            self.assertEqual(done.stdout.split(), ["inside", "bwrap"], done.stderr)
            self.assertFalse((machine.root / "executed").exists())

    def test_the_projects_own_policy_cannot_widen_anything(self):
        with Machine() as machine:
            for text in ('[files]\nread-write = ["~"]\n', '[env]\npass = ["AWS_SECRET_ACCESS_KEY"]\n',
                         '[limits]\nmemory-max = "infinity"\n', '[agent]\ncommand = ["sh"]\n'):
                (machine.project / ".agentctl.toml").write_text(text)
                done = machine.start("touch ran")
                self.assertEqual(done.returncode, 3, f"{text}: {done.stderr}")
                self.assertIn(".agentctl.toml:2:", done.stderr)
                self.assertFalse((machine.project / "ran").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
