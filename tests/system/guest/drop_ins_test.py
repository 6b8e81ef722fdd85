# SPDX-License-Identifier: Apache-2.0
"""What others write into systemd's configuration: a limit that does not hold is never passed over."""
import os
import pathlib
import shutil

import machine
from payloads import WAITING
from session import SessionCase, cgroup_of

MIB = 1 << 20
USER_DROP_INS = machine.HOME / ".config/systemd/user/app-agentctl-.scope.d"
MANAGER_DROP_INS = pathlib.Path(f"/etc/systemd/system/{machine.USER_MANAGER.replace('1000', '')}.d")


class DropIns(SessionCase):
    def user_drop_in(self, setting):
        machine.must("mkdir", "-p", USER_DROP_INS, **machine.as_dev())
        (USER_DROP_INS / "10.conf").write_text(f"[Scope]\n{setting}\n")
        self.addCleanup(machine.user_systemctl, "daemon-reload")
        self.addCleanup(shutil.rmtree, USER_DROP_INS)
        machine.user_systemctl("daemon-reload")

    def test_memory_raised(self):
        """a drop-in that lifts the memory limit makes start refuse, naming the knob and the drop-in"""
        self.user_drop_in("MemoryMax=infinity")
        errors = self.refused(status=125, words=["memory-max", "10.conf"], options=("--memory-max=96M",))
        self.assertIn("infinity", errors)

    def test_tasks_raised(self):
        """a drop-in that lifts the task limit makes start refuse, naming the knob"""
        self.user_drop_in("TasksMax=infinity")
        self.refused(status=125, words=["tasks-max"], options=("--tasks-max=50",))

    def test_quota_raised(self):
        """a drop-in that lifts the CPU quota makes start refuse, naming the knob"""
        self.user_drop_in("CPUQuota=")
        self.refused(status=125, words=["cpu-quota"], options=("--cpu-quota=30%",))

    def test_same_value(self):
        """a drop-in that says what was asked anyway is no reason to refuse"""
        self.user_drop_in("MemoryMax=96M")
        session = self.start(*WAITING, options=("--memory-max=96M",)).expect("ready")
        self.assertEqual(96 * MIB, session.status()["limits"]["effective"]["memory-max"])
        self.agentctl("stop", session.name)
        session.finish()

    def test_not_delegated(self):
        """without the cpu controller start refuses, names the knob, the reason and how to delegate it"""
        MANAGER_DROP_INS.mkdir(parents=True)
        self.addCleanup(self.undo_delegation)
        (MANAGER_DROP_INS / "delegate.conf").write_text("[Service]\nDelegate=\nDelegate=pids\n")
        machine.must("systemctl", "daemon-reload")
        machine.restart_user_manager()
        self.assertNotIn("cpu", machine.read(machine.USER_CGROUP / "cgroup.controllers").split())
        self.refused(status=125, words=["cpu-quota", "delegated", "Delegate="], options=("--cpu-quota=30%",))

    def undo_delegation(self):
        shutil.rmtree(MANAGER_DROP_INS)
        machine.must("systemctl", "daemon-reload")
        machine.restart_user_manager()
        self.assertIn("cpu", machine.read(machine.USER_CGROUP / "cgroup.controllers").split())

    def test_io_not_delegated(self):
        """an I/O weight is refused where the io controller is not delegated"""
        self.refused(status=125, words=["io-weight", "delegated"], options=("--io-weight=50",))

    def test_set_property(self):
        """a limit changed from outside shows in status as effective, beside what was asked"""
        session = self.start(*WAITING, options=("--memory-max=96M", "--tasks-max=50")).expect("ready")
        unit = session.status()["unit"]
        machine.user_systemctl("set-property", "--runtime", unit, "MemoryMax=128M", "TasksMax=60")
        status = session.status()
        limits = status["limits"]
        self.assertEqual((96 * MIB, 128 * MIB), (limits["asked"]["memory-max"], limits["effective"]["memory-max"]))
        self.assertEqual((50, 60), (limits["asked"]["tasks-max"], limits["effective"]["tasks-max"]))
        self.assertEqual(str(128 * MIB), machine.read(cgroup_of(status) / "memory.max"))
        self.assertTrue(any("memory-max" in warning for warning in status["warnings"]), status["warnings"])
        self.agentctl("stop", session.name)
        session.finish()

    def test_reload_keeps_limits(self):
        """a reload of the user manager during a session leaves its limits as they were"""
        session = self.start(*WAITING, options=("--memory-max=96M",)).expect("ready")
        machine.user_systemctl("daemon-reload")
        status = session.status()
        self.assertEqual(("running", 96 * MIB), (status["state"], status["limits"]["effective"]["memory-max"]))
        self.agentctl("stop", session.name)
        session.finish()

    def test_agent_writes_drop_in(self):
        """a drop-in that the agent writes for its own scope never comes to the user's real home"""
        directory = f"~/{USER_DROP_INS.relative_to(machine.HOME)}"
        session = self.start("sh", "-c", f"mkdir -p {directory} && echo '[Scope]' >{directory}/10.conf; echo tried")
        session.expect("tried").finish()
        self.assertFalse(os.path.exists(USER_DROP_INS))
