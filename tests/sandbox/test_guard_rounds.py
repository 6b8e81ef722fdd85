# SPDX-License-Identifier: Apache-2.0
"""The host removes and makes anew what is hidden, and replaces what is protected, two hundred times, against an agent that spins.
Renames over a hidden file: test_mask_window.py."""
import os
import select
import shutil
import time
import unittest

from machine import Machine
from mask_view import MaskView, replace

ROUNDS = 200
MOST_ROUNDS = 2000  # until the agent was fast enough once
SECRET = "canary-7f3a"

READER = """
import os, sys, time
log = os.open("log", os.O_WRONLY | os.O_APPEND)
with open(".ready", "w") as ready:
    ready.write("ready")
while True:
    begun = time.monotonic_ns()
    try:
        file = os.open(sys.argv[1], os.O_RDONLY)
    except OSError:
        continue
    ended = time.monotonic_ns()
    text = os.read(file, 64)
    os.close(file)
    if text:
        os.write(log, b"%d %d\\n" % (begun, ended))
"""

WRITER = """
import os
beat = os.open("beat", os.O_WRONLY | os.O_NONBLOCK)
with open(".ready", "w") as ready:
    ready.write("ready")
refused = 0
while True:
    try:
        file = os.open(".git/config", os.O_WRONLY | os.O_APPEND)
    except OSError:
        refused += 1
        if refused % 20 == 0:
            try:
                os.write(beat, b".")
            except BlockingIOError:
                pass
        continue
    os.write(file, b"fsmonitor = evil\\n")
    os.close(file)
"""


class GuardRounds(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project

    def read_while_remade(self, hidden, file, remake):
        """From the moment the mask stands again until the next removal nothing can be read, however fast the agent is."""
        remake()
        log = self.project / "log"
        log.touch()
        (self.project / "reader.py").write_text(READER)
        bare = []  # from before the removal until the mask was back
        with self.machine.session(f"python3 reader.py {file}", "--hide", hidden, waits=True) as session:
            view = MaskView(session)
            self.assertTrue(view.hides(self.project / hidden))
            while len(bare) < ROUNDS or (len(bare) < MOST_ROUNDS and not log.stat().st_size):
                since = time.monotonic_ns()
                bare.append([since, since])
                remake()
                view.wait_until_hidden(self.project / hidden)
                bare[-1][1] = time.monotonic_ns()
            self.assertIn(session.status()["state"], ("running", "frozen"))  # it is thawed after the mask is back
        opened = [[int(time) for time in line.split()] for line in log.read_text().splitlines()]
        self.assertTrue(opened, "the reader never was fast enough: it proves nothing")
        outside = [(begun, ended) for begun, ended in opened if not any(removed <= ended and begun <= back for removed, back in bare)]
        self.assertEqual(outside, [], "the secret was read while its mask stood")
        longest = max(back - removed for removed, back in bare) / 1e6
        print(f"\n{len(bare)} rounds: read {len(opened)} times while no mask stood, at most {longest:.1f} ms each")

    def test_mask_07_a_hidden_file_that_is_removed_and_made_again_is_read_by_nobody_once_it_is_covered(self):
        env = self.project / ".env"

        def remake():
            env.unlink(missing_ok=True)
            env.write_text(SECRET)
        self.read_while_remade(".env", ".env", remake)

    def test_mask_07_a_hidden_directory_that_is_removed_and_made_again_is_read_by_nobody_once_it_is_covered(self):
        secrets = self.project / "deep/secrets"

        def remake():
            shutil.rmtree(secrets, ignore_errors=True)
            secrets.mkdir(parents=True)
            (secrets / "key").write_text(SECRET)
        self.read_while_remade("deep/secrets", "deep/secrets/key", remake)

    def test_git_05_a_configuration_that_the_host_replaces_is_written_by_nobody_once_it_is_covered(self):
        config = self.project / ".git/config"
        config.parent.mkdir()
        config.write_text("[core]\n")
        (self.project / "writer.py").write_text(WRITER)
        os.mkfifo(self.project / "beat")
        self.beat = os.open(self.project / "beat", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self.addCleanup(os.close, self.beat)
        rounds = ended = written = 0
        while rounds < ROUNDS:
            with self.machine.session("exec python3 writer.py", "-q", waits=True) as session:
                rounds += self.replace_until_it_ends(session, config, ROUNDS - rounds)
                if session.supervisor.poll() is None:
                    self.machine.run("stop", "--kill", session.name)
                session.finish()
            receipt = max(self.machine.receipts(), key=lambda receipt: receipt["ended_usec"])
            ended += receipt["cause"] == "mask-lost"
            if "evil" in config.read_text():
                written += 1
                self.assertIn(str(config), {finding["path"] for finding in receipt["exec_surface"]})
        print(f"\n{rounds} rounds: {ended} sessions ended since they had the file open, {written} receipts tell what was written")

    def replace_until_it_ends(self, session, config, most):
        """How often the host replaced it. Once the writer, who has one file open at a time, was refused, nothing is written."""
        view = MaskView(session)
        for number in range(most):
            replace(config, f"[core]\n\tround = {number}\n")
            if not self.covered_again(session, view, config):
                return number + 1
            if not self.hear_refusals(session):
                return number + 1
            covered = config.read_text()
            self.assertIn(f"round = {number}", covered)
            goes_on = self.hear_refusals(session)
            self.assertEqual(config.read_text(), covered)
            if not goes_on:
                return number + 1
        return most

    def covered_again(self, session, view, config):
        """Whether the guard came back; the session may have ended instead."""
        ended = os.pidfd_open(session.supervisor.pid)
        try:
            with open(f"/proc/{view.leader}/mountinfo", encoding="utf-8") as table:
                changes = select.poll()
                changes.register(table, select.POLLPRI)
                changes.register(ended, select.POLLIN)
                while not view.is_read_only(config):
                    self.assertTrue(changes.poll(10_000), "the guard is not back, and the session lives")
                    if session.supervisor.poll() is not None:
                        return False
            return True
        except OSError:  # the leader is gone
            self.assertTrue(select.select([ended], [], [], 10)[0], "the leader cannot be seen, and the supervisor lives")
            return False
        finally:
            os.close(ended)

    def hear_refusals(self, session):
        """Whether the writer tried twenty times more; the session may have ended instead."""
        try:
            while os.read(self.beat, 4096):
                pass
        except BlockingIOError:
            pass
        ended = os.pidfd_open(session.supervisor.pid)
        try:
            for _ in range(2):  # the first may be of refusals before
                ready = select.select([self.beat, ended], [], [], 10)[0]
                self.assertTrue(ready, "the writer is silent, and the session lives")
                if self.beat not in ready:
                    return False
                os.read(self.beat, 1)
            return True
        finally:
            os.close(ended)


if __name__ == "__main__":
    unittest.main(verbosity=2)
