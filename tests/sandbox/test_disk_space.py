# SPDX-License-Identifier: Apache-2.0
"""A session that fills a disk of the host's is paused before it is full, told, and goes on when the user says so."""
import os
import subprocess
import unittest

from machine import Machine
from waiting import wait_for_directory_change

SIZE = 100 << 20
MARK = SIZE // 50
# Leaves a megabyte, then says so; asked for more, it writes half of that.
FILLER = """head -c {size} /dev/zero > big; echo filled > .ready; echo printed
exec sh -c 'while :; do sleep 1000 & wait $!; done'"""


class DiskSpace(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "agentctl-test", self.machine.project], check=True)
        self.addCleanup(subprocess.run, ["umount", self.machine.project], check=True)

    def record(self, session):
        return (self.machine.runtime / "agentctl" / session.known["id"] / "record").read_text()

    def wait_for_state(self, session, state):
        directory = self.machine.runtime / "agentctl" / session.known["id"]
        wait_for_directory_change(directory, lambda: f"STATE={state}\n" in self.record(session), 20, f"state {state}")

    def filled(self, left):
        return self.machine.session(FILLER.format(size=SIZE - left), "--memory-max", "1G", waits=True)

    def test_it_is_paused_told_and_resumed(self):
        with self.filled(MARK // 2) as session:
            self.wait_for_state(session, "frozen")
            status = session.status()
            self.assertEqual(status["state"], "frozen")
            told = [warning for warning in status["warnings"] if warning.startswith("disk: ")]
            self.assertEqual(len(told), 1)
            self.assertRegex(told[0], rf"^disk: only [0-9.]+[KM] are free in '{self.machine.project}': the session is paused; "
                                      r"make room, then 'agentctl resume s'$")
            self.assertGreater(os.statvfs(self.machine.project).f_bavail, 0)
            (self.machine.project / "big").unlink()
            self.assertEqual(self.machine.run("resume", "s").returncode, 0)
            self.assertEqual(session.status()["state"], "running")

    def test_who_has_it_go_on_all_the_same_is_not_stopped_at_once(self):
        with self.filled(MARK // 2) as session:
            self.wait_for_state(session, "frozen")
            self.assertEqual(self.machine.run("resume", "s").returncode, 0)
            self.assertEqual(self.machine.run("exec", "s", "--", "sh", "-c", "echo more > more").returncode, 0)
            self.assertEqual(session.status()["state"], "running")
            left = os.statvfs(self.machine.project)
            more = left.f_bavail * left.f_bsize * 3 // 4
            self.machine.run("exec", "s", "--", "sh", "-c", f"head -c {more} /dev/zero > more")
            self.wait_for_state(session, "frozen")
            self.assertEqual(len([line for line in session.status()["warnings"] if line.startswith("disk: ")]), 2)

    def test_with_room_left_it_goes_on_and_nothing_is_told(self):
        with self.filled(MARK * 4) as session:
            self.assertEqual(self.machine.run("exec", "s", "--", "true").returncode, 0)
            self.assertEqual([line for line in session.status()["warnings"] if line.startswith("disk: ")], [])
            self.assertEqual(session.status()["state"], "running")

    def test_what_was_low_before_it_began_does_not_stop_it(self):
        with open(self.machine.project / "old", "wb") as old:
            old.write(b"x" * (SIZE - MARK // 2))
        with self.machine.session("echo printed") as session:
            self.assertEqual(session.status()["state"], "running")


if __name__ == "__main__":
    unittest.main(verbosity=2)
