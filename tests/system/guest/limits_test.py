# SPDX-License-Identifier: Apache-2.0
"""Limits hold in the kernel, and status tells them as they are."""
import os
import time

import machine
from payloads import BUSY, FORK_BOMB, HOG, HOG_IN_CHILD, WAITING, python
from session import PROJECT, SessionCase, cgroup_of

MIB = 1 << 20
ASKED = ("--memory-max=96M", "--swap-max=0", "--tasks-max=77", "--cpu-quota=30%", "--cpu-weight=33")

class Limits(SessionCase):
    def test_asked_is_effective(self):
        """status shows asked equal to effective, and the kernel's files say the same"""
        session = self.start(*WAITING, options=ASKED).expect("ready")
        status = session.status()
        expected = {"memory-max": 96 * MIB, "swap-max": 0, "tasks-max": 77, "cpu-quota": 300_000, "cpu-weight": 33}
        for key, value in expected.items():
            self.assertEqual(value, status["limits"]["asked"][key], key)
            self.assertEqual(value, status["limits"]["effective"][key], key)
        files = {"memory.max": str(96 * MIB), "memory.swap.max": "0", "pids.max": "77", "cpu.weight": "33"}
        cgroup = cgroup_of(status)
        for name, value in files.items():
            if (cgroup / name).exists() or name != "memory.swap.max":
                self.assertEqual(value, machine.read(cgroup / name), name)
        quota, period = machine.read(cgroup / "cpu.max").split()
        self.assertEqual(300_000, int(quota) * 1_000_000 // int(period))
        self.assertEqual([], [line for line in status["warnings"] if "effective" in line])
        self.end(session)

    def test_defaults(self):
        """without options each limit is finite where it has to be: memory, swap, tasks, CPU"""
        session = self.start(*WAITING).expect("ready")
        status = session.status()
        for key in ("memory-max", "swap-max", "tasks-max", "cpu-quota", "cpu-weight"):
            self.assertIsInstance(status["limits"]["effective"][key], int, key)
            self.assertEqual(status["limits"]["asked"][key], status["limits"]["effective"][key], key)
        self.assertEqual("infinity", status["limits"]["effective"]["runtime-max"])
        self.assertIsNone(status["limits"]["asked"]["memory-high"])
        self.end(session)

    def test_infinity(self):
        """a limit of infinity is asked, effective and told as infinity"""
        session = self.start(*WAITING, options=("--memory-max=infinity", "--cpu-quota=infinity")).expect("ready")
        status = session.status()
        for key, name in (("memory-max", "memory.max"), ("cpu-quota", "cpu.max")):
            self.assertEqual("infinity", status["limits"]["asked"][key])
            self.assertEqual("infinity", status["limits"]["effective"][key])
            self.assertEqual("max", machine.read(cgroup_of(status) / name).split()[0])
        self.end(session)

    def test_identity(self):
        """status names the scope: unit, slice, manager, cgroup path and id"""
        session = self.start(*WAITING).expect("ready")
        status = session.status()
        cgroup = cgroup_of(status)
        self.assertEqual(f"app-agentctl-{status['id']}.scope", status["unit"])
        self.assertEqual(status["unit"], cgroup.name)
        self.assertEqual(machine.USER_CGROUP / "app.slice/app-agentctl.slice", cgroup.parent)
        self.assertEqual(("app-agentctl.slice", "user", "running"), (status["slice"], status["manager"], status["state"]))
        self.assertEqual((cgroup.stat().st_ino, 2), (status["cgroup"]["id"], status["cgroup"]["version"]))
        self.assertEqual("active", machine.must(
            "systemctl", "--user", "show", "--value", "--property=ActiveState", status["unit"], **machine.as_dev()).strip())
        self.assertEqual(str(PROJECT), status["project"])
        self.end(session)

    def test_membership(self):
        """every process of the sandbox is in the scope, the supervisor is not, and inside reads only the root cgroup"""
        session = self.start("sh", "-c", "cat /proc/self/cgroup; setsid sleep 1000 & exec sleep infinity").expect("0::/")
        status = session.status()
        inside = os.readlink(f"/proc/{status['pids']['leader']}/ns/pid")
        path = "/" + str(cgroup_of(status).relative_to(machine.CGROUPS))
        seen = 0
        for pid, _, cgroup in machine.processes():
            try:
                is_inside = os.readlink(f"/proc/{pid}/ns/pid") == inside
            except OSError:
                continue
            if is_inside:
                seen += 1
                self.assertEqual(f"0::{path}", cgroup)
        self.assertGreaterEqual(seen, 2)
        self.assertNotIn(status["pids"]["supervisor"], machine.members(cgroup_of(status)))
        self.end(session)

    def test_memory_hog(self):
        """an agent that takes too much memory is killed, and start says by which limit"""
        session = self.start(*python(HOG), options=("--memory-max=48M",))
        returned, errors = session.finish()
        self.assertEqual(137, returned, errors)
        self.assertIn("killed by the memory limit: peak 48.0M of 48.0M", errors)

    def test_memory_hog_in_child(self):
        """a child that takes too much memory dies alone: the agent goes on, and the receipt counts it"""
        session = self.start(*python(HOG_IN_CHILD), options=("--memory-max=48M",)).expect("child ended by 9")
        returned, errors = session.finish()
        self.assertEqual(0, returned, errors)
        self.assertIn("killed by the memory limit", errors)

    def test_fork_bomb(self):
        """a fork bomb stops at the task limit, and the kernel counted the refusal"""
        session = self.start(*python(FORK_BOMB), options=("--tasks-max=40",))
        word, made = session.line().split()
        self.assertEqual("made", word)
        self.assertLess(int(made), 40)
        cgroup = cgroup_of(session.status())
        self.assertEqual("40", machine.read(cgroup / "pids.current"))
        self.assertGreater(machine.read_fields(cgroup / "pids.events")["max"], 0)
        self.assertEqual(40, len(machine.members(cgroup)))
        self.end(session)

    def test_busy_loop(self):
        """a busy loop is held to its CPU quota"""
        session = self.start(*python(BUSY), options=("--cpu-quota=30%",)).expect("begin")
        cgroup = cgroup_of(session.status())
        began, before = time.monotonic(), machine.read_fields(cgroup / "cpu.stat")
        session.expect("end")
        after, passed = machine.read_fields(cgroup / "cpu.stat"), time.monotonic() - began
        used = (after["usage_usec"] - before["usage_usec"]) / 1e6
        self.assertGreater(passed, 1)
        self.assertLess(used / passed, 0.40)
        self.assertGreater(used / passed, 0.10)
        self.assertGreater(after["nr_throttled"], before["nr_throttled"])
        self.assertEqual(0, session.finish()[0])

    def test_time_limit(self):
        """a session ends at its run-time limit with status 124"""
        session = self.start(*WAITING, options=("--runtime-max=2s",)).expect("ready")
        returned, errors = session.finish()
        self.assertEqual(124, returned, errors)
        self.assertIn("time limit", errors)

    def end(self, session):
        stopped = self.agentctl("stop", session.name)
        self.assertEqual(0, stopped.returncode, stopped.stderr)
        session.finish()
