# SPDX-License-Identifier: Apache-2.0
"""What is shown of the host's /etc: mounted from outside into the finished sandbox, and proven there."""
import os
import pathlib
import subprocess
import unittest

from machine import Machine
from waiting import wait_for_end


class LateMounts(unittest.TestCase):
    def test_etc_shows_what_the_dry_run_names_and_nothing_else(self):
        with Machine() as machine:
            planned = machine.run("start", "--dry-run", "--", "true").stdout.split()
            done = machine.start("find /etc -mindepth 1 -maxdepth 1; cat /etc/passwd; touch /etc/x /etc/hosts")
            self.assertIn("Read-only file system", done.stderr)
            passwd = pathlib.Path("/etc/passwd").read_text()
            self.assertEqual(done.stdout[-len(passwd):], passwd)
            shown = {line.split("/")[2] for line in done.stdout[:-len(passwd)].splitlines()}
            self.assertEqual(shown, {word.split("/")[2] for word in planned if word.startswith("/etc/")})
            self.assertNotIn("shadow", shown)

    def refused(self, *injections, paths=()):
        """The one line of a start during which strace changes what the kernel answers to these calls."""
        with Machine() as machine:
            strace = ["strace", "-f", "-qq", "-o", "/dev/null", *[f"--inject={each}" for each in injections],
                      *[f"--trace-path={path}" for path in paths]]
            done = subprocess.run([*strace, *machine.start_argv("--", "touch", "ran")], cwd=machine.project, text=True,
                                  env=machine.environment, capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertFalse((machine.project / "ran").exists(), "the agent ran")
            for pid in machine.processes():
                wait_for_end(pid)
            self.assertEqual(machine.sessions(), [])
            return done.stderr

    def test_a_sandbox_that_cannot_be_entered_refuses_the_start(self):
        self.assertIn("cannot enter the sandbox's user namespace", self.refused("setns:error=EPERM"))

    def test_a_mount_that_fails_refuses_the_start_and_is_named(self):
        self.assertIn("cannot show '/etc/passwd'", self.refused("mount:error=EACCES", paths=["/etc/passwd"]))

    def test_an_etc_that_stays_writable_is_seen_from_outside(self):
        self.assertIn("'/etc' is writable", self.refused("mount_setattr:retval=0", paths=["/etc"]))

    def test_a_private_home_shows_what_the_dry_run_names_and_nothing_else(self):
        with Machine() as machine:
            (machine.home / ".bashrc").write_text("of the host")
            (machine.home / "unnamed").write_text("of the host")
            planned = machine.run("start", "--dry-run", "--", "true").stdout.split()
            done = machine.start("cat ~/.bashrc; ls -A ~; touch ~/.bashrc; touch ~/new && ls ~/new")
            home = str(machine.home)
            shown = {os.path.relpath(word, home).split("/")[0] for word in planned if word.startswith(home + "/")}
            self.assertEqual(done.stdout, "\n".join(["of the host" + min(shown), *sorted(shown)[1:], f"{home}/new\n"]))
            self.assertIn("Read-only file system", done.stderr)

    def test_a_home_in_which_something_is_mounted_is_not_bound_as_a_whole(self):
        with Machine() as machine:
            (machine.home / ".bashrc").write_text("of the host")
            (machine.home / "disk").mkdir()
            calls = machine.root / "calls"

            def start(before):
                strace = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=mount", "-o", str(calls)]
                done = subprocess.run(["unshare", "--mount", "sh", "-c", before + 'exec "$@"', "sh", *strace,
                                       *machine.start_argv("--", "cat", "../.bashrc")], cwd=machine.project, text=True,
                                      env=machine.environment, capture_output=True, timeout=60, check=False)
                self.assertEqual(done.stdout, "of the host", done.stderr)
                return calls.read_text()

            self.assertIn(f"{machine.home}/.host", start(""))
            self.assertNotIn(f"{machine.home}/.host", start(f"mount -t tmpfs none '{machine.home}/disk' && "))

    def test_a_mount_that_did_not_happen_is_seen_from_outside(self):
        self.assertIn("no mount at '/etc/passwd'", self.refused("mount:retval=0", paths=["/etc/passwd"]))

    def test_the_host_s_etc_left_inside_is_seen_from_outside(self):
        told = self.refused("umount2,rmdir:retval=0", paths=["/etc/.host"])
        self.assertIn("an unplanned mount at '/etc/.host'", told)

    def test_a_helper_that_hangs_is_not_waited_for(self):
        self.assertIn("not made in time", self.refused("setns:delay_enter=4s"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
