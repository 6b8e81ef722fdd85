# SPDX-License-Identifier: Apache-2.0
"""Limits that are reached: what is killed, refused or slowed down, and what the user is told."""
import time
import unittest

from exhaustion import FORKS
from machine import Machine

HOG = "python3 -c 'held = []\nwhile True: held.append(bytes(1 << 20) + b\"x\")'"


class Limits(unittest.TestCase):
    def test_a_memory_hog_is_killed_and_the_limit_is_named(self):
        with Machine() as machine:
            done = machine.start("exec " + HOG, "--memory-max", "64M")
            self.assertEqual(done.returncode, 137, done.stderr)
            self.assertRegex(done.stderr, r"killed by the memory limit: peak 6\d\.\dM of 64\.0M")
            receipt, = machine.receipts()
            self.assertTrue(receipt["killed_by_memory_limit"])

    def test_the_quiet_are_told_of_the_memory_limit_too(self):
        with Machine() as machine:
            done = machine.start("exec " + HOG, "-q", "--memory-max", "64M")
            self.assertEqual(done.stderr.count("killed by the memory limit"), 1)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_an_agent_survives_the_kill_of_its_child(self):
        with Machine() as machine:
            done = machine.start(HOG + "; echo child $?", "--memory-max", "64M")
            self.assertEqual((done.returncode, done.stdout), (0, "child 137\n"), done.stderr)
            self.assertIn("1 killed by the memory limit", done.stderr)

    def test_a_kill_by_hand_is_not_called_a_memory_limit(self):
        with Machine() as machine:
            done = machine.start("kill -9 $$")
            self.assertEqual(done.returncode, 137)
            self.assertIn("ended by SIGKILL", done.stderr)
            self.assertNotIn("memory limit", done.stderr)

    def test_a_fork_bomb_stops_at_the_task_limit(self):
        with Machine() as machine:
            done = machine.start(FORKS, "--tasks-max", "60")
            self.assertEqual(done.returncode, 0, done.stderr)
            made, _, why = done.stdout.strip().partition(" ")
            self.assertEqual(why, "Resource temporarily unavailable")
            self.assertTrue(40 <= int(made) < 60, made)
            self.assertRegex(done.stderr, r"the task limit refused \d+ forks")

    def test_a_busy_loop_is_held_to_its_quota(self):
        with Machine() as machine:
            begin = time.monotonic()
            done = machine.start("python3 -c 'while True: pass'", "--cpu-quota", "20%", "--runtime-max", "2s")
            lasted = time.monotonic() - begin
            self.assertEqual(done.returncode, 124, done.stderr)
            receipt, = machine.receipts()
            self.assertLess(receipt["usage"]["cpu_usec"] / 1e6, lasted * 0.3 + 0.2)
            self.assertGreater(receipt["usage"]["throttled_usec"], 0)

    def test_memory_of_tmpfs_counts(self):
        with Machine() as machine:
            done = machine.start("dd if=/dev/zero of=/tmp/fill bs=1M count=500; echo dd $?", "--memory-max", "64M")
            self.assertIn("dd 137", done.stdout + done.stderr)
            self.assertIn("memory limit", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
