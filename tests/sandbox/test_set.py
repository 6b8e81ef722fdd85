# SPDX-License-Identifier: Apache-2.0
"""set: new limits of a running session, in the kernel's files, with systemd, in the record and in status; or none."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

import processes
from exhaustion import FORKS
from kernel_files import IS_UNIFIED, limits_of
from machine import Machine
from waiting import wait_for_end, wait_until_gone

LIMITS = ("--memory-max", "256M", "--cpu-quota", "70%", "--tasks-max", "300", "--cpu-weight", "50")
BEFORE = {"memory-max": 256 << 20, "cpu-quota": 700_000, "tasks-max": 300, "cpu-weight": 50}
HOLDER = """exec python3 -c '
held = bytearray(b"x") * (100 << 20)
open(".ready", "w").write("ready\\n")
import signal
signal.pause()
'"""
DEAF = "trap 'echo asked > .ready' TERM; echo ready > .ready; while :; do sleep 1000 & wait $!; done"


class Set(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def do(self, *words):
        done = self.machine.run("set", *words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def refuse(self, words, message, status=1):
        done = self.machine.run("set", *words)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, message)
        return done.stderr

    def assert_limits(self, session, wanted):
        kernel = limits_of(session.known["unit"])
        limits = session.status()["limits"]
        for knob, value in wanted.items():
            self.assertEqual([kernel[knob], limits["effective"][knob], limits["asked"][knob]], [value] * 3, knob)
        self.assertEqual([line for line in session.status()["warnings"] if "asked" in line], [])

    def test_every_limit_is_in_the_kernels_files_in_the_record_and_in_status(self):
        wanted = {"memory-max": 512 << 20, "cpu-quota": 1_500_000, "cpu-weight": 200, "tasks-max": 77}
        with self.machine.session(":", *LIMITS) as session:
            self.assert_limits(session, BEFORE)
            self.do("s", "memory-max=512M", "cpu-quota=150%", "cpu-weight=200", "tasks-max=77", "runtime-max=2h")
            self.assert_limits(session, wanted)
            self.assertEqual(session.status()["limits"]["asked"]["runtime-max"], 7_200_000_000)
            record = (self.machine.runtime / "agentctl" / session.known["id"] / "record").read_text()
            for line in ("MEMORY_MAX=536870912", "TASKS_MAX=77", "RUNTIME_MAX_USEC=7200000000"):
                self.assertIn(line, record.splitlines())
            self.assertIn("memory-max   asked 512.0M, effective 512.0M", self.machine.run("status", "s").stdout)

    def test_a_limit_is_in_force_within_100_ms(self):
        with self.machine.session(":", *LIMITS) as session:
            shortest = 1.0
            for size in range(300, 360):
                begun = time.monotonic()
                self.do("s", f"memory-max={size}M")
                shortest = min(shortest, time.monotonic() - begun)
                self.assertEqual(limits_of(session.known["unit"])["memory-max"], size << 20)
                if shortest < 0.1:
                    break
            self.assertLess(shortest, 0.1)

    def test_the_service_manager_shows_the_same(self):
        with self.machine.session(":", *LIMITS) as session:
            self.do("s", "memory-max=512M", "tasks-max=77")
            if self.machine.is_private:  # asked through agentctl only
                return self.assert_limits(session, {**BEFORE, "memory-max": 512 << 20, "tasks-max": 77})
            show = ["systemctl", "--user", "show", "-p", "MemoryMax", "-p", "TasksMax", session.known["unit"]]
            shown = subprocess.run(show, capture_output=True, text=True, check=True).stdout
            self.assertEqual(set(shown.split()), {"MemoryMax=536870912", "TasksMax=77"})
            self.assertEqual(self.machine.run("stop", "s").returncode, 0)
            # The manager forgets the scope when it has looked at the empty cgroup.
            made = [str(path) for path in (self.machine.runtime / "systemd").rglob("*")]
            for path in made:
                if session.known["id"] in path:
                    wait_until_gone(path)

    def test_more_memory_lets_an_agent_live_that_the_old_limit_would_have_killed(self):
        script = "echo ready > .ready; read go < go; python3 -c 'bytearray(b\"x\") * (120 << 20)'; exit $?"
        with Machine() as machine:
            os.mkfifo(machine.project / "go")
            with machine.session(script, "--memory-max", "64M", waits=True) as session:
                self.assertEqual(machine.run("set", "s", "memory-max=256M").returncode, 0)
                (machine.project / "go").write_text("go\n")
                done = session.finish()
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("of 256.0M", done.stderr)

    def test_fewer_tasks_refuse_the_next_fork_and_kill_nobody(self):
        script = f"echo ready > .ready; read go < go; {FORKS}"
        os.mkfifo(self.machine.project / "go")
        with self.machine.session(script, *LIMITS, waits=True) as session:
            self.do("s", "tasks-max=40")
            (self.machine.project / "go").write_text("go\n")
            done = session.finish()
            made, _, why = done.stdout.strip().partition(" ")
            self.assertEqual(why, "Resource temporarily unavailable")
            self.assertLess(int(made), 40)

    def test_less_than_there_are_tasks_is_told(self):
        script = "for i in 1 2 3 4 5 6; do sleep 1000 & done; echo ready > .ready; wait"
        with self.machine.session(script, waits=True) as session:
            count = len(session.members())
            done = self.machine.run("set", "s", "tasks-max=8")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"'s': it has {count} tasks: no further one starts", done.stderr)
            self.assertEqual(len(session.members()), count)

    def test_a_time_limit_that_is_set_later_ends_the_session(self):
        with self.machine.session(":") as session:
            self.refuse(("s", "runtime-max=1ms"),
                        "^agentctl: 's': runtime-max must be more than the .* has run\nhint: .*stop")
            self.do("s", "runtime-max=60s")
            ran = self.machine.run("status", "s").stdout
            self.assertIn("runtime-max  1min", ran)
            begun = time.monotonic()
            for seconds in range(1, 20):
                if self.machine.run("set", "s", f"runtime-max={seconds}s").returncode == 0:
                    break
            self.assertEqual(session.finish().returncode, 124)
            self.assertLess(time.monotonic() - begun, 20)

    def test_a_paused_session_takes_new_limits(self):
        with self.machine.session(":", *LIMITS) as session:
            self.assertEqual(self.machine.run("pause", "s").returncode, 0)
            self.do("s", "memory-max=300M")
            self.assert_limits(session, {**BEFORE, "memory-max": 300 << 20})
            self.assertEqual(session.status()["state"], "frozen")

    def test_those_who_set_at_once_leave_one_truth(self):
        with self.machine.session(":", *LIMITS) as session:
            at_once = [self.machine.popen("set", "s", f"memory-max={300 + number}M", f"tasks-max={100 + number}")
                       for number in range(6)]
            for process in at_once:
                self.assertEqual(process.communicate(timeout=60), ("", ""))
            kernel = limits_of(session.known["unit"])
            self.assertEqual((kernel["memory-max"] >> 20) - 300, kernel["tasks-max"] - 100)
            self.assert_limits(session, {knob: kernel[knob] for knob in ("memory-max", "tasks-max")})

    def test_less_memory_than_is_in_use_is_refused_with_the_figure(self):
        with self.machine.session(HOLDER, *LIMITS, waits=True) as session:
            text = self.refuse(("s", "memory-max=64M", "tasks-max=77"),
                               "^agentctl: 's': memory-max of 64.0M is below the 1")
            self.assertIn("in use: the kernel may kill its processes\nhint: to do it all the same: --force", text)
            self.assert_limits(session, BEFORE)

    def test_what_the_kernel_refuses_although_forced_leaves_everything_as_it_was(self):
        if IS_UNIFIED:  # v2 takes it, and kills
            return
        with self.machine.session(HOLDER, *LIMITS, waits=True) as session:
            self.refuse(("--force", "s", "memory-max=64M", "tasks-max=77"),
                        "the limits are not enforced: memory-max.*; nothing was changed")
            self.assert_limits(session, BEFORE)
            self.assertEqual(session.status()["state"], "running")

    def test_a_limit_that_this_kernel_does_not_have_takes_the_others_back(self):
        if IS_UNIFIED:  # v2 has memory.high
            return
        with self.machine.session(":", *LIMITS) as session:
            self.refuse(("s", "memory-max=300M", "memory-high=200M", "tasks-max=77"),
                        "memory-high: asked 200.0M, but memory.high says absent.*; nothing was changed\nhint: ")
            self.assert_limits(session, BEFORE)

    def test_every_mistake_is_told_and_nothing_is_changed(self):
        with self.machine.session(":", *LIMITS) as session:
            text = self.refuse(("s", "memory-max=lots", "tasks-mx=3", "cpu-weight=7", "oom=session"), "^agentctl: ", 2)
            for part in ("'memory-max' has no usable value", "unknown limit 'tasks-mx'; did you mean 'tasks-max'?",
                         "'oom' cannot"):
                self.assertIn(part, text)
            self.refuse(("s",), "LIMIT is required", 2)
            self.refuse(("s", "memory-max=300M", "memory-high=400M"),
                        "'memory-high' .* must not be above 'memory-max'", 2)
            self.assert_limits(session, BEFORE)

    def test_a_session_that_is_not_there_is_refused(self):
        self.refuse(("nobody", "tasks-max=77"), "^agentctl: session 'nobody' not found\n")

    def test_a_session_without_limits_takes_a_time_limit_only(self):
        self.machine.is_private = False
        with self.machine.session(":", "--no-limits") as session:
            self.refuse(("s", "tasks-max=77"),
                        "^agentctl: 's': has no limits that could be changed.*\nhint: .*--no-limits\n$")
            self.do("s", "runtime-max=1h")
            self.assertEqual(session.status()["limits"]["asked"]["runtime-max"], 3_600_000_000)

    def test_a_session_that_is_ending_keeps_its_limits(self):
        with self.machine.session(DEAF, *LIMITS, waits=True) as session:
            session.known
            session.supervisor.send_signal(signal.SIGTERM)
            self.assertEqual(session.hear(), "asked\n")
            self.refuse(("s", "memory-max=300M"), "^agentctl: 's': is ending; nothing was changed\n$")
            self.assert_limits(session, BEFORE)
            self.assertEqual(self.machine.run("stop", "--kill", "s").returncode, 0)

    def test_a_supervisor_that_is_stopped_keeps_the_limits(self):
        with self.machine.session(":", *LIMITS) as session:
            session.known
            session.supervisor.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, session.supervisor.pid, os.WSTOPPED)
            self.refuse(("s", "memory-max=300M"),
                        "suspended with Ctrl-Z.*; nothing was changed\nhint: continue it with fg")
            session.supervisor.send_signal(signal.SIGCONT)
            self.assert_limits(session, BEFORE)

    def test_a_private_manager_that_is_gone_is_told(self):
        if not self.machine.is_private:  # the user's is not ours to end
            return
        with self.machine.session(":", *LIMITS) as session:
            record = (self.machine.runtime / "agentctl" / session.known["id"] / "record").read_text()
            manager = int(next(line for line in record.splitlines() if line.startswith("MANAGER_PID=")).split("=")[1])
            self.assertIn("--user", processes.arguments(manager))
            os.kill(manager, signal.SIGKILL)
            wait_for_end(manager, 5)
            self.refuse(("s", "memory-max=300M"), "^agentctl: 's': its private service manager is gone\n$")
            self.assertEqual(pathlib.Path(session.cgroup).exists(), True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
