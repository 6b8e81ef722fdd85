# SPDX-License-Identifier: Apache-2.0
"""Every way in which a detached session may end, and that nothing is left of it, its service or its scope."""
import os
import signal
import subprocess
import unittest

import processes
from detached_session import WAIT, DetachedCase, DetachedSession, systemctl
from machine import Machine

POLITE = "trap 'echo asked > asked; exit 7' TERM; echo ready > .ready; while :; do sleep 1000 & wait $!; done"


class Ends(DetachedCase):
    def test_stop_ends_it_and_leaves_no_unit(self):
        with Machine() as machine:
            ready = self.pipe(machine)
            with DetachedSession(machine, POLITE) as session:
                self.hear(ready)
                done = machine.run("stop", "s")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(session.members(), [])
                self.assert_nothing_left(machine, session)
                self.assertEqual([receipt["cause"] for receipt in machine.receipts()], ["stopped"])
                self.assertTrue((machine.project / "asked").exists())

    def test_proc_02_sigkill_of_the_supervisor_ends_the_scope_within_a_second(self):
        with Machine() as machine, DetachedSession(machine, "sleep 1000 & setsid sleep 1000 & wait") as session:
            os.kill(session.supervisor, signal.SIGKILL)
            processes.wait_for_all_to_end(session.members, 1.0)
            self.assert_nothing_left(machine, session)

    def test_proc_03_stop_of_the_service_asks_the_agent_first(self):
        with Machine() as machine:
            ready = self.pipe(machine)
            with DetachedSession(machine, POLITE) as session:
                self.hear(ready)
                systemctl("stop", session.service)
                self.assert_nothing_left(machine, session)
                self.assertTrue((machine.project / "asked").exists())
                self.assertEqual([receipt["cause"] for receipt in machine.receipts()], ["terminated"])

    def test_proc_06_stop_of_the_scope_ends_the_service(self):
        with Machine() as machine:
            ready = self.pipe(machine)
            with DetachedSession(machine, POLITE) as session:
                self.hear(ready)
                systemctl("stop", session.scope)
                self.assert_nothing_left(machine, session)
                self.assertTrue((machine.project / "asked").exists())

    def test_the_agents_own_end_ends_the_service_without_a_failed_unit(self):
        with Machine() as machine:
            go = self.pipe(machine, "go")
            with DetachedSession(machine, "read line < go; exit 3") as session:
                os.write(go, b"go\n")
                self.assert_nothing_left(machine, session)
                self.assertEqual([receipt["exit_status"] for receipt in machine.receipts()], [3])
                self.assertNotIn(session.known["id"], systemctl("--failed", "--plain", "--no-legend"))

    def test_a_parent_that_is_named_ends_it_too(self):
        parent = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        self.addCleanup(parent.wait)
        with Machine() as machine, DetachedSession(machine, WAIT, "--parent-pid", str(parent.pid)) as session:
            self.assertEqual(session.known["parent"], {"kind": "pid", "pid": parent.pid})
            parent.stdin.close()
            self.assert_nothing_left(machine, session)
            self.assertEqual([receipt["cause"] for receipt in machine.receipts()], ["parent-died"])

    def test_a_starter_that_ends_before_it_was_told_takes_the_session_with_it(self):
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(signal=number), Machine() as machine:
                ready = self.pipe(machine)
                unread, full = os.pipe()  # so that it cannot print the name
                self.addCleanup(os.close, unread)
                os.set_blocking(full, False)
                with self.assertRaises(BlockingIOError):
                    while True:
                        os.write(full, b"x" * 4096)
                os.set_blocking(full, True)
                starter = machine.popen("start", "-q", "--detach", "--name", "s", "--", "sh", "-c",
                                        f"echo ready > .ready; {WAIT}", stdout=full)
                os.close(full)
                self.hear(ready)
                known = machine.status("s")
                starter.send_signal(number)
                _, errors = starter.communicate(timeout=10)
                self.assertEqual((starter.returncode, errors), (-number, ""))
                processes.wait_for_all_to_end(lambda: processes.members(known["cgroup"]["path"]), 15)
                supervisor = known["pids"]["supervisor"]
                processes.wait_for_all_to_end(lambda: [supervisor] if processes.arguments(supervisor) else [], 15)
                self.assertEqual(machine.records(), [])
                self.assertEqual([receipt["cause"] for receipt in machine.receipts()], ["parent-died"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
