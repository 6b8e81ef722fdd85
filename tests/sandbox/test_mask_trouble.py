# SPDX-License-Identifier: Apache-2.0
"""Masks that the host undoes while something else goes wrong."""
import subprocess
import unittest

import processes
from machine import Machine
from mask_view import MaskView, replace
from waiting import wait_for_end, wait_until_frozen

NEW = "NEW-SECRET\n"


class MaskTrouble(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.env = self.machine.project / ".env"
        self.env.write_text("OLD-SECRET\n")

    def meddle(self, session, injection):
        """From here on the kernel answers the supervisor, and what it forks, otherwise."""
        supervisor = str(session.known["pids"]["supervisor"])
        argv = ["strace", "-f", "-o", "/dev/null", f"--inject={injection}", "-p", supervisor]
        strace = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)
        self.assertIn("attached", strace.stderr.readline())
        self.addCleanup(strace.stderr.close)
        self.addCleanup(strace.wait)
        self.addCleanup(strace.terminate)

    def test_a_mask_that_cannot_be_put_back_ends_the_session_and_says_why(self):
        with self.machine.session("true", "--hide", ".env") as session:
            leader = session.leader
            self.meddle(session, "move_mount:error=EPERM")
            replace(self.env, NEW)
            done = session.finish()
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn("cannot keep what is hidden and protected in place: cannot make an empty file", done.stderr)
            self.assertIn("ended since a hidden or protected file was laid open", done.stderr)
            wait_for_end(leader)
        self.assertEqual(self.machine.receipts()[0]["cause"], "mask-lost")

    def test_a_helper_that_hangs_ends_the_session(self):
        with self.machine.session("true", "--hide", ".env") as session:
            self.meddle(session, "setns:delay_enter=4s")
            replace(self.env, NEW)
            done = session.finish()
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn("were not put back in time", done.stderr)

    def test_a_supervisor_that_is_killed_while_the_session_is_frozen_leaves_nothing(self):
        with self.machine.session("true", "--hide", ".env") as session:
            leader = session.leader
            self.meddle(session, "setns:delay_enter=1s")
            replace(self.env, NEW)
            wait_until_frozen(session.cgroup)
            session.supervisor.kill()
            wait_for_end(leader)
            processes.wait_for_all_to_end(self.machine.processes, 10)
        self.assertEqual(self.machine.sessions(), [])

    def test_an_agent_that_makes_files_without_end_does_not_keep_a_mask_from_being_put_back(self):
        flood = "echo ready > .ready; while :; do : > a; rm a; done"
        with self.machine.session(flood, "--hide", ".env", waits=True) as session:
            view = MaskView(session)
            for _ in range(20):
                replace(self.env, NEW)
                view.wait_until_hidden(self.env)

    def test_a_directory_that_a_policy_hides_is_empty_whatever_the_host_does_in_it(self):
        secrets = self.machine.project / "secrets"
        secrets.mkdir()
        with self.machine.session("true", "--hide", "secrets") as session:
            view = MaskView(session)
            replace(secrets / "key", NEW)
            self.assertTrue(view.hides(secrets), "at once: there is no window")


if __name__ == "__main__":
    unittest.main(verbosity=2)
