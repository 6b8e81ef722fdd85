# SPDX-License-Identifier: Apache-2.0
"""The gates of a start: what the manager says is not believed, and what does not hold keeps the agent from running."""
import os
import pathlib
import subprocess
import unittest

from lying_manager import LyingManager
from machine import Machine

CGROUPS = pathlib.Path("/sys/fs/cgroup")
UNLIMITED = [part for knob in ("memory-max", "swap-max", "cpu-quota", "tasks-max") for part in (f"--{knob}", "infinity")]


def hierarchies():
    if (CGROUPS / "cgroup.procs").exists():
        return [CGROUPS]
    return [path for path in CGROUPS.iterdir() if (path / "cgroup.procs").exists() and not path.is_symlink()]


class RealManager(unittest.TestCase):
    def test_a_drop_in_that_lifts_a_limit_refuses_the_start(self):
        drop_in = pathlib.Path(os.environ["XDG_RUNTIME_DIR"], "systemd/user/app-agentctl-.scope.d/99-lift.conf")
        drop_in.parent.mkdir(parents=True)
        drop_in.write_text("[Scope]\nMemoryMax=infinity\n")
        self.addCleanup(drop_in.unlink)
        subprocess.run(["systemctl", "--user", "daemon-reload"], check=True)
        with Machine() as machine:
            done = machine.start("touch ran", "--memory-max", "512M")
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn("memory-max", done.stderr)
            self.assertIn("99-lift.conf", done.stderr)
            self.assertIn("hint: ", done.stderr)
            self.assertFalse((machine.project / "ran").exists())
            self.assertEqual(machine.sessions(), [])


class ManagerThatLies(unittest.TestCase):
    def setUp(self):
        self.bus = pathlib.Path("/run/user/0/bus")  # in the private /run of with_user_manager
        self.hidden = self.bus.with_name("bus.hidden")
        self.bus.rename(self.hidden)
        self.addCleanup(self.hidden.rename, self.bus)
        for hierarchy in hierarchies():
            (hierarchy / "empty.scope").mkdir()
            self.addCleanup((hierarchy / "empty.scope").rmdir)

    def start(self, machine, job_result):
        runtime = machine.root / "run"
        runtime.mkdir(mode=0o700)
        machine.environment["XDG_RUNTIME_DIR"] = str(runtime)
        with LyingManager(runtime, "/empty.scope", job_result) as manager:
            done = machine.start("touch ran", "--manager", "user", "--cpu-weight", "100", *UNLIMITED)
        self.assertIn("StartTransientUnit", manager.calls, done.stderr)
        self.assertFalse((machine.project / "ran").exists(), "the agent ran")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertEqual(list(runtime.glob("agentctl/*")), [])
        return done.stderr

    def test_a_scope_without_our_processes_in_it_refuses_the_start(self):
        with Machine() as machine:
            self.assertIn("is not in its scope", self.start(machine, "done"))

    def test_a_job_that_failed_refuses_the_start(self):
        with Machine() as machine:
            self.assertIn("could not move the process into the scope", self.start(machine, "failed"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
