# SPDX-License-Identifier: Apache-2.0
"""SIGKILL of the supervisor at numbered points of start and stop: the kernel and the next command leave nothing behind."""
import os
import pathlib
import re
import select
import signal
import subprocess
import unittest

import kill_points
import processes
from machine import Machine

WAIT = "echo ready > .ready; exec sleep 1000"


class Traced:
    """agentctl start under strace, and, for points of a stop, the stop that follows."""

    def __init__(self, machine, stops, injection=()):
        self.machine = machine
        self.trace = machine.root / "trace"
        command = ("sh", "-c", WAIT) if stops else ("true",)
        start = machine.start_argv("-q", "--name", "s", "--", *command)
        argv = ["strace", "-qq", "-s", "64", "-o", str(self.trace), *injection, *start]
        self.reader = self.make_pipe() if stops else None
        self.process = subprocess.Popen(argv, env=machine.environment, cwd=machine.project, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.stop = self.run_stop() if stops else None
        self.output, self.errors = self.process.communicate(timeout=60)
        if stops:
            os.close(self.reader)
            (machine.project / ".ready").unlink()

    def make_pipe(self):
        os.mkfifo(self.machine.project / ".ready")
        return os.open(self.machine.project / ".ready", os.O_RDWR | os.O_CLOEXEC)

    def run_stop(self):
        if not select.select([self.reader], [], [], 30)[0]:
            self.process.kill()
            raise AssertionError(f"the session did not come up: {self.process.communicate()}")
        return self.machine.run("stop", "s")

    def text(self):
        return self.trace.read_text(errors="replace")


class KillPoints(unittest.TestCase):
    def check_points(self, points, stops):
        with Machine() as machine:
            run = Traced(machine, stops)
            undisturbed = run.text()
            self.assertEqual(run.process.returncode, 143 if stops else 0, run.errors)
        for point in points:
            if point.only_private and "XDG_RUNTIME_DIR" in os.environ:
                continue
            with self.subTest(point=point.number, what=point.what), Machine() as machine:
                self.check_point(machine, point, kill_points.ordinal(undisturbed, point), stops)

    def check_point(self, machine, point, ordinal, stops):
        run = Traced(machine, stops, ("-e", f"inject={point.call}:signal=SIGKILL:when={ordinal}"))
        trace = run.text()
        self.assertEqual(run.process.returncode, -signal.SIGKILL, f"it was not killed: {run.errors}")
        self.assertRegex(kill_points.calls(trace, point.call)[-1], f"{point.pattern}|unfinished")
        processes.wait_for_all_to_end(machine.processes, 2.0)
        if stops:
            self.assertEqual(run.stop.returncode, 0, run.stop.stderr)
        known = machine.run("status")
        self.assertEqual(known.returncode, 0, known.stderr)
        self.assert_nothing_left(machine, trace)
        again = machine.run("start", "-q", "--name", "s", "--", "true")  # neither name nor cgroup stands in the way
        self.assertEqual(again.returncode, 0, again.stderr)

    def assert_nothing_left(self, machine, trace):
        self.assertEqual(machine.records(), [])
        self.assertEqual(machine.sessions(), [])
        self.assertEqual(os.listdir(machine.project), [])
        unfinished = [path.name for path in pathlib.Path(machine.home).rglob(".*.json.*")]
        self.assertEqual(unfinished, [], "half a receipt is left")
        identifier = kill_points.session_id(trace)
        if identifier is None:
            return
        for cgroup in processes.cgroups_named(identifier):
            self.assertFalse(machine.is_private, f"left: {cgroup}")
            processes.wait_until_gone(cgroup, 2.0)  # the user manager collects its scope when it hears that it is empty

    def test_start(self):
        self.check_points(kill_points.START, stops=False)

    def test_stop(self):
        self.check_points(kill_points.STOP, stops=True)

    def test_while_bwrap_has_made_its_namespaces_and_not_yet_let_the_inside_go_on(self):
        """bwrap's own inner process is tied to nobody yet; capset(2) is what the outer one does just then."""
        with Machine() as machine:
            trace = machine.root / "trace"
            argv = ["strace", "-qq", "-f", "-o", str(trace), "-e", "trace=clone,capset", "-e", "inject=capset:delay_enter=2s",
                    *machine.start_argv("-q", "--name", "s", "--", "true")]
            traced = subprocess.Popen(argv, env=machine.environment, cwd=machine.project, stdin=subprocess.DEVNULL)
            self.addCleanup(traced.kill)
            cloned = re.compile(r"CLONE_NEWPID.*\) += \d+")
            processes.wait_until(machine.root, lambda: cloned.search(trace.read_text()), 30, "bwrap's namespaces")
            supervisor, = [pid for pid in processes.every() if processes.parent(pid) == traced.pid]
            os.kill(supervisor, signal.SIGKILL)
            # strace lets go of the one that it delays, killed though it is, only after the delay.
            processes.wait_for_all_to_end(lambda: [pid for pid in machine.processes() if pid != traced.pid], 6.0)
            self.assertEqual(traced.wait(10), -signal.SIGKILL)
            self.assertEqual(machine.run("status").returncode, 0)
            self.assertEqual(machine.records(), [])

    def test_the_points_are_numbered_one_after_the_other(self):
        numbers = [point.number for point in kill_points.START + kill_points.STOP]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
