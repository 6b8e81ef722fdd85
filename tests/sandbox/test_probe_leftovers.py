# SPDX-License-Identifier: Apache-2.0
"""What a probe that is killed leaves behind, the next one removes; and nothing else."""
import os
import pathlib
import signal
import subprocess
import unittest

import processes
from probe_machine import ProbeMachine, planted_names
from waiting import wait_for_directory_change

SCRATCH = pathlib.Path("/var/tmp")
# The system call of the probe's own process at whose entry it is killed, and which one of that name.
POINTS = [
    ("before its scratch place has anything in it", "flock", 1),
    ("before anything is planted", "add_key", 1),
    ("before the canary process", "clone", 1),
    ("between shared memory and a queue", "msgget", 1),
    ("before a POSIX queue", "mq_open", 1),
    ("among the sockets", "bind", 8),
    ("before the control runs", "clone", 2),
    ("before the inside runs", "clone", 3),
    ("while what was planted is removed", "shmctl", 1),
    ("before its scratch place is removed", "openat2", 1),
]
MARK = "agentctl-probe-0123456789ab"


def start_time(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19])


class Leftovers(unittest.TestCase):
    def setUp(self):
        self.before = planted_names()
        self.machine = ProbeMachine()
        self.addCleanup(self.machine.__exit__)
        (self.machine.home / ".cache").mkdir()
        (self.machine.home / ".config/agentctl").mkdir(parents=True)

    def left(self):
        """All of a probe's that is there and was not before."""
        names, objects = planted_names()
        private = [str(path) for place in (self.machine.home, self.machine.runtime) for path in place.rglob("*agentctl-probe-*")
                   if path.name != "agentctl-probe"]
        return sorted((set(names) - set(self.before[0])) | (set(objects) - set(self.before[1])) | set(private))

    def killed_at(self, call, ordinal):
        trace = self.machine.root / "trace"
        inject = f"inject={call}:signal=SIGKILL:when={ordinal}"
        process = subprocess.Popen(
            ["strace", "-qq", "-o", str(trace), "-e", f"trace={call}", "-e", inject, self.machine.agentctl, *self.machine.probe_argv()],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.machine.environment,
            cwd=self.machine.project)
        process.wait(timeout=120)
        self.assertEqual(process.returncode, -signal.SIGKILL, trace.read_text())

    def test_the_next_probe_removes_it_wherever_the_first_was_killed(self):
        for what, call, ordinal in POINTS:
            with self.subTest(point=what):
                self.killed_at(call, ordinal)
                processes.wait_for_all_to_end(self.machine.processes, 10)
                self.assertTrue(self.left(), "it left nothing: the test shows nothing")
                done, result = self.machine.probe("--self-test")
                self.assertEqual(result["verdicts"]["void"], 0, done.stderr)
                self.assertEqual(self.left(), [])

    def test_one_that_is_killed_while_it_removes_what_another_left_leaves_no_more_than_that(self):
        self.killed_at("clone", 2)
        self.killed_at("mq_open", 1)  # its first is on the other's queue
        done, result = self.machine.probe("--self-test")
        self.assertEqual(result["verdicts"]["void"], 0, done.stderr)
        self.assertEqual(self.left(), [])

    def test_one_whose_sandbox_runs_leaves_no_session_either(self):
        process = subprocess.Popen([self.machine.agentctl, *self.machine.probe_argv()], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.machine.environment,
                                   cwd=self.machine.project)
        (self.machine.runtime / "agentctl").mkdir(mode=0o700, exist_ok=True)
        wait_for_directory_change(self.machine.runtime / "agentctl", self.machine.records, 30, "the session's record")
        process.kill()
        process.wait()
        processes.wait_for_all_to_end(self.machine.processes, 10)
        self.assertTrue(self.left())
        done, result = self.machine.probe("--self-test")
        self.assertEqual(result["verdicts"]["void"], 0, done.stderr)
        self.assertEqual(self.left(), [])
        self.machine.run("status")
        self.assertEqual(self.machine.records(), [])

    def test_what_is_not_a_dead_probe_s_stays(self):
        victim = self.machine.home / "victim"
        victim.write_text("kept")
        marked_link = self.machine.home / f".{MARK}.key"
        marked_link.symlink_to(victim)
        pid = subprocess.run(["sh", "-c", "echo $$"], stdout=subprocess.PIPE, text=True).stdout.strip()  # has ended
        places = {
            "alive": SCRATCH / f"agentctl-probe-{os.getpid()}-{start_time(os.getpid())}-aaaaaa",
            "open": SCRATCH / f"agentctl-probe-{pid}-1-bbbbbb",
            "dead": SCRATCH / f"agentctl-probe-{pid}-1-cccccc",
            "other": SCRATCH / "agentctl-probe-mine",
        }
        link = SCRATCH / f"agentctl-probe-{pid}-1-dddddd"
        link.symlink_to(self.machine.home)
        self.addCleanup(link.unlink)
        for name, place in places.items():
            place.mkdir(mode=0o755 if name == "open" else 0o700)
            self.addCleanup(lambda place=place: subprocess.run(["rm", "-r", str(place)], check=False, stderr=subprocess.DEVNULL))
            (place / "planted").write_text(f"file {victim}\nmark {MARK}\nfile {victim}\nfile {marked_link}\nfile relative-{MARK}\n"
                                           "shared-memory 0\nqueue 0\nposix-queue /other\nrun sleep\n")
        done, result = self.machine.probe("--self-test")
        self.assertEqual(result["verdicts"]["void"], 0, done.stderr)
        self.assertEqual((victim.read_text(), marked_link.is_symlink(), link.is_symlink()), ("kept", True, True))
        self.assertEqual({name for name, place in places.items() if place.exists()}, {"alive", "open", "other"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
