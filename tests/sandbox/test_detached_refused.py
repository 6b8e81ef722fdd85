# SPDX-License-Identifier: Apache-2.0
"""Detached sessions that must not come to be, and that this is told as without --detach."""
import os
import subprocess
import unittest

from detached_session import WAIT, DetachedCase, DetachedSession, systemctl
from machine import Machine


class Refused(DetachedCase):
    def assert_refused_as_without(self, machine, status, *arguments):
        plain = machine.run("start", *arguments)
        detached = machine.run("start", "--detach", *arguments)
        self.assertEqual(plain.returncode, status, plain.stderr)
        self.assertEqual((detached.returncode, detached.stdout), (status, ""), detached.stderr)
        self.assertEqual(detached.stderr, plain.stderr)
        self.assertEqual(machine.records(), [])
        self.assertNotIn("agentctl-session-", systemctl("--failed", "--plain", "--no-legend"))

    def test_a_refusal_has_the_text_and_the_status_of_a_start_without_detach(self):
        with Machine() as machine:
            (machine.project / "text").write_text("no program\n")
            (machine.project / "text").chmod(0o644)
            self.assert_refused_as_without(machine, 127, "--", "no-such-agent")
            self.assert_refused_as_without(machine, 126, "--", "./text")
            self.assert_refused_as_without(machine, 3, "--rw", "/", "--", "true")
            self.assert_refused_as_without(machine, 3, "-C", str(machine.home), "--", "true")
            self.assert_refused_as_without(machine, 2, "--memory-max", "much", "--", "true")
            self.assert_refused_as_without(machine, 2, "--parent-pid", "4194304", "--", "true")
            self.assert_refused_as_without(machine, 2, "--no-such-option")
            self.assert_refused_as_without(machine, 126, "--", "/usr")

    def test_a_program_that_the_kernel_refuses_is_told_before_any_name(self):
        with Machine() as machine:
            broken = machine.project / "broken"
            broken.write_bytes(b"\x7fELF" + b"\0" * 60)
            broken.chmod(0o755)
            plain = machine.run("start", "-q", "--", "./broken")
            detached = machine.run("start", "-q", "--detach", "--", "./broken")
            self.assertEqual((plain.returncode, detached.returncode), (126, 126))
            self.assertEqual((detached.stdout, detached.stderr), ("", plain.stderr))

    def test_a_name_that_is_taken_is_refused(self):
        with Machine() as machine, DetachedSession(machine, WAIT):
            again = machine.run("start", "--detach", "--name", "s", "--", "true")
            self.assertEqual((again.returncode, again.stdout), (2, ""), again.stderr)
            self.assertIn("'s'", again.stderr)

    def test_a_private_manager_is_refused_for_it_ends_with_its_starter(self):
        with Machine() as machine:
            done = machine.run("start", "--detach", "--manager", "private", "--", "touch", "ran")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("ends with its starter", done.stderr)
            self.assertIn("hint: ", done.stderr)
            self.assertFalse((machine.project / "ran").exists())

    def test_sd_01_without_a_manager_it_is_refused_with_a_remedy(self):
        with Machine() as machine:
            empty = machine.root / "empty"
            empty.mkdir(mode=0o700)
            machine.environment["XDG_RUNTIME_DIR"] = str(empty)
            command = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /run && exec "$@"', "sh",
                       *machine.start_argv("--detach", "--", "touch", "ran")]
            done = subprocess.run(command, env=machine.environment, cwd=machine.project, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
            self.assertIn("no service manager answers here", done.stderr)
            self.assertIn("hint: ", done.stderr)
            self.assertFalse((machine.project / "ran").exists())

    def test_a_starter_in_other_namespaces_than_the_manager_is_refused(self):
        with Machine() as machine:
            for option, word in (("--mount", "mnt"), ("--net", "net"), ("--ipc", "ipc")):
                with self.subTest(option=option):
                    command = ["unshare", option, *machine.start_argv("--detach", "--", "touch", "ran")]
                    done = subprocess.run(command, env=machine.environment, cwd=machine.project, capture_output=True,
                                          text=True)
                    self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
                    self.assertIn(f"sees another machine than you do: {word} differ", done.stderr)
                    self.assertFalse((machine.project / "ran").exists())

    def run_with(self, machine, setpriv, *arguments):
        command = ["setpriv", *setpriv, *machine.start_argv("--detach", "--name", "s", *arguments)]
        return subprocess.run(command, env=machine.environment, cwd=machine.project, capture_output=True, text=True)

    def test_a_starter_without_a_group_of_the_managers_is_refused(self):
        with Machine() as machine:
            done = self.run_with(machine, ("--regid=54321", "--clear-groups"), "--", "touch", "ran")
            self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
            self.assertIn("in groups that you are not in: 0", done.stderr)
            self.assertFalse((machine.project / "ran").exists())

    def test_a_starters_group_that_the_manager_lacks_is_told(self):
        with Machine() as machine:
            groups = ",".join(map(str, [*os.getgroups(), 0, 54321]))
            done = self.run_with(machine, (f"--groups={groups}",), "--", "sleep", "1000")
            self.assertEqual((done.returncode, done.stdout), (0, "s\n"), done.stderr)
            self.assertIn("not in your groups 54321", done.stderr)
            self.assertEqual(machine.run("stop", "--kill", "s").returncode, 0)

    def test_supervise_is_nothing_to_be_typed(self):
        with Machine() as machine:
            done = machine.run("supervise")
            self.assertEqual(done.returncode, 2)
            self.assertIn("start --detach", done.stderr)
            self.assertNotIn("supervise", machine.run("--help").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
