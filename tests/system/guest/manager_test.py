# SPDX-License-Identifier: Apache-2.0
"""Service managers that hang, re-execute, are not the user's own, or are not there."""
import os
import signal

import machine
import waiting
from payloads import POLITE, WAITING, python
from session import AGENTCTL, PROJECT, RECORDS, SessionCase, all_sessions, cgroup_of, records


class Manager(SessionCase):
    def test_stopped_manager(self):
        """a user manager that does not answer: the payload never runs, and after the deadline start fails with 125"""
        pid = machine.user_manager_pid()
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(os.kill, pid, signal.SIGCONT)
        session = self.start("touch", "ran")
        returned, errors = session.finish(90)
        self.assertEqual(125, returned, errors)
        self.assertFalse((PROJECT / "ran").exists())
        self.assertEqual([], machine.processes_of_ours())
        self.assertEqual([], records())
        os.kill(pid, signal.SIGCONT)
        machine.user_systemctl("daemon-reload")  # answered in order: the manager has handled what waited for it
        self.assertFalse((PROJECT / "ran").exists())
        self.start("true").finish()

    def test_killed_while_waiting(self):
        """SIGKILL of agentctl while it waits for the manager: what it held dies with it, and the payload never runs"""
        self.start("true").finish()  # the directory of records is there from now on
        pid = machine.user_manager_pid()
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(os.kill, pid, signal.SIGCONT)
        session = self.start("touch", "ran")
        machine.wait_for_names(RECORDS, records, 60, "a record")
        supervisor = session.process.pid
        held = [int(child) for child in machine.read(f"/proc/{supervisor}/task/{supervisor}/children").split()]
        session.process.kill()
        session.finish()
        for child in held:
            waiting.wait_for_end(child)
        os.kill(pid, signal.SIGCONT)
        machine.user_systemctl("daemon-reload")
        self.assertFalse((PROJECT / "ran").exists())
        self.assertEqual([], all_sessions())

    def test_reexec(self):
        """the user manager re-executes itself during a session: status and stop work as before"""
        session = self.start(*python(POLITE), options=("--memory-max=96M",)).expect("ready")
        before = session.status()
        machine.user_systemctl("daemon-reexec")
        machine.wait_for_user_manager()
        after = session.status()
        for key in ("id", "state", "cgroup", "unit", "limits", "pids"):
            self.assertEqual(before[key], after[key], key)
        stopped = self.agentctl("stop", session.name)
        self.assertEqual(0, stopped.returncode, stopped.stderr)
        self.assertEqual(0, session.finish()[0])
        self.assertTrue((PROJECT / "asked-to-end").exists())
        machine.wait_until_removed(cgroup_of(before))
        self.assertEqual("", machine.user_systemctl("list-units", "--all", "--no-legend", "app-agentctl-*.scope").strip())

    def test_manager_killed(self):
        """the user manager is killed: its scopes go down with it, and start ends by itself"""
        session = self.start(*WAITING).expect("ready")
        status = session.status()
        self.addCleanup(machine.wait_for_user_manager)
        pid = machine.user_manager_pid()
        os.kill(pid, signal.SIGKILL)
        waiting.wait_for_end(pid)
        session.finish()
        waiting.wait_until_empty(cgroup_of(status), 60)
        machine.must("systemctl", "reset-failed", machine.USER_MANAGER)

    def test_no_variables(self):
        """without XDG_RUNTIME_DIR and bus address, as from cron, the user's own manager is found"""
        bare = machine.as_dev(XDG_RUNTIME_DIR=None, DBUS_SESSION_BUS_ADDRESS=None)
        session = self.start(*WAITING, as_user=bare).expect("ready")
        status = session.status()
        self.assertEqual("user", status["manager"])
        self.assertEqual(status["limits"]["asked"]["memory-max"], status["limits"]["effective"]["memory-max"])
        self.assertEqual(0, self.agentctl("stop", session.name).returncode)
        session.finish()

    def test_root_system_manager(self):
        """root's session is a scope of the system manager, with every limit"""
        options = ("--manager", "system", "--memory-max=96M", "--cpu-quota=30%", "--tasks-max=50")
        session = self.start(*WAITING, options=options, **self.as_root()).expect("ready")
        scopes = machine.scope_cgroups()
        self.assertEqual(1, len(scopes))
        self.assertFalse(scopes[0].is_relative_to(machine.USER_CGROUP))
        self.assertEqual(
            (str(96 << 20), "50", "30000 100000"),
            tuple(machine.read(scopes[0] / name) for name in ("memory.max", "pids.max", "cpu.max")))
        stopped = machine.run(AGENTCTL, "stop", session.name, **self.as_root()["as_user"])
        self.assertEqual(0, stopped.returncode, stopped.stderr)
        session.finish()
        machine.wait_until_removed(scopes[0])

    def test_root_io_weight(self):
        """an I/O weight that this kernel cannot keep is refused for root too, and the user manager is not blamed"""
        errors = self.refused(status=125, words=["io-weight", "io.weight"], hint=False,
                              options=("--manager", "system", "--io-weight=50"), **self.as_root())
        self.assertNotIn("user manager", errors)

    def as_root(self):
        project = "/srv/project"
        os.makedirs(project, exist_ok=True)
        return {"as_user": {"env": {"HOME": "/root", "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}}, "cwd": project}
