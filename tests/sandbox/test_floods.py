# SPDX-License-Identifier: Apache-2.0
"""What a session can have without end meets its limits, and the host goes on: descriptors, CPU. Processes, dead processes and
memory are items of probe, logs and disks have tests of their own."""
import os
import pathlib
import subprocess
import time
import unittest

from machine import Machine

# As many pipes as go, in as many processes; each says when it has begun.
DESCRIPTORS = """python3 -c '
import os, resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
children = []
while len(children) < 100:
    child = os.fork()
    if child == 0:
        held = []
        try:
            while True: held.append(os.pipe())
        except OSError: os._exit(0)
    children.append(child)
statuses = [os.waitpid(child, 0)[1] for child in children]
print(sum(os.WIFSIGNALED(status) for status in statuses))
'"""
BURNER = """for each in 1 2 3 4 5 6 7 8; do while :; do :; done & done
echo ready > .ready; exec sleep 1000"""
PROGRAMS = 50
LONGEST_SECONDS = 10.0  # for all of them, on a machine on which other tests run, too


def open_files():
    return int(pathlib.Path("/proc/sys/fs/file-nr").read_text().split()[0])


class Floods(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def test_descriptors_count_as_memory_and_end_at_its_limit(self):
        before = open_files()
        done = self.machine.start(DESCRIPTORS, "--memory-max", "64M", "--tasks-max", "200", seconds=120)
        killed = done.returncode == 137 or int(done.stdout or 0) > 0
        self.assertTrue(killed, f"no process was killed: {done.stdout}{done.stderr}")
        self.assertLess(open_files() - before, 100_000)

    def test_busy_loops_are_held_to_their_quota_and_the_host_s_programs_run(self):
        with self.machine.session(BURNER, waits=True) as session:
            began = time.monotonic()
            before = session.status()
            for _ in range(PROGRAMS):
                subprocess.run(["true"], check=True, timeout=LONGEST_SECONDS)
            self.assertLess(time.monotonic() - began, LONGEST_SECONDS)
            after = session.status()
            limits = after["limits"]["effective"]
            self.assertEqual((limits["cpu-quota"], limits["cpu-weight"]), (max(1, os.cpu_count() - 1) * 1_000_000, 50))
            used = after["usage"]["cpu_usec"] - before["usage"]["cpu_usec"]
            self.assertLess(used, limits["cpu-quota"] * (time.monotonic() - began + 0.2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
