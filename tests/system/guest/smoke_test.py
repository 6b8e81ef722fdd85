# SPDX-License-Identifier: Apache-2.0
"""The guest itself: what the other modules stand on."""
import time
import unittest

import machine


class Guest(unittest.TestCase):
    def test_unified_hierarchy(self):
        """the guest has the unified cgroup hierarchy with the memory, pids, cpu and io controllers"""
        controllers = machine.read(machine.CGROUPS / "cgroup.controllers").split()
        self.assertLessEqual({"memory", "pids", "cpu", "io"}, set(controllers))

    def test_delegation(self):
        """the user manager has memory, pids and cpu delegated, and nothing more"""
        controllers = machine.read(machine.USER_CGROUP / "cgroup.controllers").split()
        self.assertEqual({"memory", "pids", "cpu"}, set(controllers))

    def test_transient_scope(self):
        """a transient scope of the unprivileged user gets its limits"""
        script = "cat /sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup)/{memory,pids,cpu}.max; id -u"
        out = machine.must(
            "systemd-run", "--user", "--scope", "--quiet", "--property=MemoryMax=64M", "--property=TasksMax=17",
            "--property=CPUQuota=30%", "bash", "-c", script, **machine.as_dev())
        self.assertEqual(["67108864", "17", "30000 100000", str(machine.DEV.pw_uid)], out.splitlines())

    def test_user_namespaces(self):
        """the unprivileged user may make a bwrap sandbox with every namespace"""
        out = machine.must(
            "bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc",
            "--dev", "/dev", "cat", "/proc/self/cgroup", **machine.as_dev())
        self.assertEqual("0::/", out.strip())

    def test_cpu_time(self):
        """the guest accounts the time of a busy process: no more than passed, and most of it"""
        began, used_before = time.monotonic(), time.process_time()
        while time.monotonic() - began < 1:
            pass
        passed, used = time.monotonic() - began, time.process_time() - used_before
        self.assertLess(used, passed * 1.1)
        self.assertGreater(used, passed * 0.5)
