# SPDX-License-Identifier: Apache-2.0
"""A session never outlives its parent, whatever takes the parent away."""
import os
import pty
import signal
import subprocess
import termios
import fcntl

import machine
import waiting
from payloads import CROWD, POLITE, ROOM_FOR_CROWD, WAITING, python
from session import AGENTCTL, PROJECT, SessionCase, all_sessions, cgroup_of, records

class Death(SessionCase):
    def assert_gone(self, status, seconds=20):
        waiting.wait_until_empty(cgroup_of(status), seconds)
        waiting.wait_for_end(status["pids"]["supervisor"], seconds)
        machine.wait_until_removed(cgroup_of(status))
        self.assertEqual([], records())

    def test_caller_killed(self):
        """the caller is killed: the agent is asked to end, then nothing is left"""
        session = self.start(*python(POLITE), wrapper=("sh", "-c", '"$@"; true', "sh")).expect("ready")
        status = session.status()
        self.assertEqual({"kind": "caller", "pid": session.process.pid}, status["parent"])
        session.process.kill()
        self.assert_gone(status)
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def test_terminal_closed(self):
        """the terminal is closed: nothing is left"""
        master, slave = pty.openpty()

        def take_terminal():
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        command = [AGENTCTL, "start", "--name", "guest", "--", *python(POLITE)]
        process = subprocess.Popen(command, cwd=PROJECT, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                   preexec_fn=take_terminal, **machine.as_dev())
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(slave)
        output = b""
        while b"ready" not in output:
            output += os.read(master, 4096)
        status = all_sessions()[0]
        self.assertEqual(process.pid, status["pids"]["supervisor"])
        self.assertTrue(status["tty"])
        os.close(master)
        process.wait(60)
        self.assert_gone(status)
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def test_parent_pid_ends(self):
        """the process given as parent ends: nothing is left, though the caller lives on"""
        parent = subprocess.Popen(["sleep", "infinity"], **machine.as_dev())
        self.addCleanup(parent.wait)
        self.addCleanup(parent.kill)
        session = self.start(*python(POLITE), options=("--parent-pid", str(parent.pid))).expect("ready")
        status = session.status()
        self.assertEqual({"kind": "pid", "pid": parent.pid}, status["parent"])
        parent.kill()
        session.finish()
        self.assert_gone(status)
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def test_parent_pid_not_found(self):
        """a parent that does not exist is refused before anything runs"""
        parent = subprocess.Popen(["true"], **machine.as_dev())
        parent.wait()
        self.refused(status=2, words=["--parent-pid", "not found"], hint=False, options=("--parent-pid", str(parent.pid)))

    def test_term_to_supervisor(self):
        """SIGTERM to the supervisor: the agent gets its grace, then nothing is left"""
        session = self.start(*python(POLITE)).expect("ready")
        status = session.status()
        os.kill(status["pids"]["supervisor"], signal.SIGTERM)
        session.finish()
        self.assert_gone(status)
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def test_supervisor_killed(self):
        """SIGKILL of the supervisor: 200 processes that resist are gone within a second, the scope with them"""
        session = self.start(*python(CROWD), options=ROOM_FOR_CROWD).expect("ready")
        status = session.status()
        cgroup = cgroup_of(status)
        self.assertGreaterEqual(len(machine.members(cgroup)), 200)
        os.kill(status["pids"]["supervisor"], signal.SIGKILL)
        waiting.wait_until_empty(cgroup, seconds=1)
        machine.wait_until_removed(cgroup)
        session.finish()
        listed = machine.user_systemctl("list-units", "--all", "--no-legend", "app-agentctl-*.scope")
        self.assertEqual("", listed.strip())
        swept = self.agentctl("status", "--json")
        self.assertEqual((0, "[]"), (swept.returncode, swept.stdout.strip()))
        self.assertIn("swept", swept.stderr)
        self.assertEqual([], records())
        self.assertEqual("", self.agentctl("status", "--json").stderr)

    def test_start_sweeps(self):
        """after a SIGKILL of the supervisor the next start takes over the name"""
        session = self.start(*WAITING).expect("ready")
        os.kill(session.status()["pids"]["supervisor"], signal.SIGKILL)
        session.finish()
        again = self.start(*WAITING).expect("ready")
        self.assertEqual(1, len(all_sessions()))
        self.assertEqual(0, self.agentctl("stop", again.name).returncode)
        again.finish()

    def test_bwrap_killed(self):
        """SIGKILL of the agent itself: start ends with 137 and leaves nothing"""
        session = self.start(*WAITING).expect("ready")
        status = session.status()
        os.kill(status["pids"]["leader"], signal.SIGKILL)
        returned, errors = session.finish()
        self.assertEqual(137, returned, errors)
        self.assertNotIn("memory limit", errors)
        self.assert_gone(status)
