# SPDX-License-Identifier: Apache-2.0
"""How long the host's new file can be opened inside after a rename, over a hidden file or to a name that a glob hides,
against a reader that spins.

AGENTCTL_MASK_TRIES: how often (200); AGENTCTL_MASK_READERS: how many spin (1).
"""
import bisect
import os
import select
import statistics
import time
import unittest

from machine import Machine
from waiting import left

TRIES = int(os.environ.get("AGENTCTL_MASK_TRIES", "200"))
READERS = int(os.environ.get("AGENTCTL_MASK_READERS", "1"))
ALLOWED_SECONDS = 0.050

READER = """
import os, time
log = os.open("log", os.O_WRONLY | os.O_APPEND)
with open(".ready", "w") as ready:
    ready.write("ready")
while True:
    begun = time.monotonic_ns()
    try:
        file = os.open(".env", os.O_RDONLY)
    except OSError:
        continue
    ended = time.monotonic_ns()
    text = os.read(file, 64)
    os.close(file)
    if text:
        os.write(log, b"%d %d\\n" % (begun, ended))
"""


class MaskWindow(unittest.TestCase):
    def test_mask_07_a_new_file_cannot_be_opened_50_ms_after_the_rename(self):
        self.measure(".env", "hidden again")

    def test_mask_08_a_file_of_a_new_name_cannot_be_opened_50_ms_after_the_rename(self):
        self.measure("**/.env", "is new")

    def measure(self, hide, told):
        is_new = told == "is new"
        with Machine() as machine:
            log, env = machine.project / "log", machine.project / ".env"
            log.touch()
            if not is_new:
                env.touch()
            (machine.project / "reader.py").write_text(READER)
            script = "for i in $(seq %d); do python3 reader.py & done; wait" % READERS
            with machine.session(script, "--hide", hide, "--cpu-quota", "infinity", waits=True) as session:
                heard = session.known and 1
                while heard < READERS:
                    heard += session.hear().count("ready")
                renames = []
                for number in range(TRIES):
                    renames.append(self.rename_and_wait(session, env, number))
                    if is_new:
                        env.write_text("")  # the kernel drops the mask a moment before the name
                        env.unlink()
                self.assertEqual(session.status()["state"], "running")
                lines = [line for line in session.status()["warnings"] if told in line]
                self.assertEqual(len(lines), 1, "told once a path")
            before = [rename[0] for rename in renames]
            windows, late = [0.0] * TRIES, []
            for line in log.read_text().splitlines():
                begun, ended = (int(word) for word in line.split())
                # Not by what was read: while a rename is going on the name may still lead to the file before. Nor by
                # the end alone: the reader may have been frozen after the open, or have waited before it.
                number = bisect.bisect(before, ended) - 1
                since = (begun - renames[number][1]) / 1e6  # below zero: while the rename was going on
                windows[number] = max(windows[number], since, 0.001)
                if since > ALLOWED_SECONDS * 1e3:
                    late.append((number, since))
            self.assertTrue(any(windows), "the reader never was fast enough: it proves nothing")
            windows.sort()
            print(f"\n{TRIES} renames, {READERS} readers; from the end of a rename to the last open that found a "
                  f"file: {statistics.median(windows):.2f} ms (median), {windows[int(TRIES * 0.99)]:.2f} (99 %), "
                  f"{windows[-1]:.2f} (longest); none in {sum(not window for window in windows)}")
            self.assertEqual(late, [])

    def rename_and_wait(self, session, env, number):
        """Gives the times just before and after the rename, once a new file had all the time that it may be open in."""
        new = env.with_name(".env.new")
        new.write_text(str(number))
        with open(f"/proc/{session.leader}/mountinfo", encoding="utf-8") as table:
            changes = select.poll()
            changes.register(table, select.POLLPRI)
            before = time.monotonic_ns()
            new.rename(env)
            after = time.monotonic_ns()
            until = time.monotonic() + ALLOWED_SECONDS + 0.010
            while left(until):
                changes.poll(left(until) * 1000)
        return before, after


if __name__ == "__main__":
    unittest.main(verbosity=2)
