# SPDX-License-Identifier: Apache-2.0
"""A session that is not on a terminal: three streams apart, their ends, and the exit status."""
import hashlib
import os
import signal
import subprocess
import unittest

import processes
from machine import Machine

MUCH = 50 << 20
POUR = "head -c {size} /dev/zero | openssl enc -aes-128-ctr -nosalt -K 00 -iv 00"


class Status(unittest.TestCase):
    def test_the_exit_status_is_the_agents(self):
        with Machine() as machine:
            for status in (0, 1, 7, 125, 255):
                self.assertEqual(machine.start(f"exit {status}").returncode, status)

    def test_death_of_a_signal_is_128_and_its_number(self):
        with Machine() as machine:
            for name in ("HUP", "INT", "TERM", "KILL", "SEGV"):
                done = machine.start(f"kill -{name} $$; sleep 1000")
                self.assertEqual(done.returncode, 128 + signal.Signals[f"SIG{name}"], done.stderr)
                self.assertIn(f"ended by SIG{name}", done.stderr)


class Streams(unittest.TestCase):
    def test_output_and_errors_stay_apart(self):
        with Machine() as machine:
            done = machine.start("echo out; echo err >&2", "-q")
            self.assertEqual((done.stdout, done.stderr), ("out\n", "err\n"))

    def test_input_arrives_with_its_end(self):
        with Machine() as machine:
            done = machine.run("start", "-q", "--", "cat", input="one\ntwo")
            self.assertEqual((done.returncode, done.stdout), (0, "one\ntwo"))
            self.assertEqual(machine.start("cat; echo end", stdin=subprocess.DEVNULL).stdout, "end\n")

    def test_an_agent_that_does_not_read_its_input_ends_all_the_same(self):
        with Machine() as machine:
            done = machine.run("start", "-q", "--", "true", input="x" * 1_000_000)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_byte_passes(self):
        data = bytes(range(256)) * 256
        with Machine() as machine:
            done = machine.run("start", "-q", "--", "cat", input=data, text=False)
            self.assertEqual(done.stdout, data)

    def test_fifty_megabytes_pass_unharmed(self):
        with Machine() as machine:
            script = POUR.format(size=MUCH)
            wanted = subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout
            done = machine.start(script, "-q", text=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(done.stdout), MUCH)
            self.assertEqual(hashlib.sha256(done.stdout).digest(), hashlib.sha256(wanted).digest())

    def test_a_reader_that_takes_one_line_ends_the_session(self):
        with Machine() as machine:
            session = machine.popen("start", "-q", "--", "yes", stderr=subprocess.DEVNULL)
            head = subprocess.run(["head", "-1"], stdin=session.stdout, capture_output=True, text=True, timeout=20, check=True)
            session.stdout.close()
            self.assertEqual(head.stdout, "y\n")
            self.assertEqual(session.wait(20), 128 + signal.SIGPIPE)
            processes.wait_for_all_to_end(machine.processes, 5)

    def test_a_slow_reader_holds_the_agent_up_and_loses_nothing(self):
        with Machine() as machine:
            script = "seq 1 200000; echo done > finished"
            session = machine.popen("start", "-q", "--name", "s", "--", "sh", "-c", script)
            first = session.stdout.read(10)
            self.assertFalse((machine.project / "finished").exists())
            rest = session.stdout.read()
            self.assertEqual(first + rest, "".join(f"{number}\n" for number in range(1, 200001)))
            self.assertEqual(session.wait(20), 0)
            session.stdout.close()
            session.stderr.close()
            self.assertTrue((machine.project / "finished").exists())

    def test_a_background_process_that_holds_the_output_does_not_hold_the_session(self):
        with Machine() as machine:
            done = machine.start("(sleep 1000 &); echo out", "-q", seconds=20)
            self.assertEqual((done.returncode, done.stdout), (0, "out\n"))
            processes.wait_for_all_to_end(machine.processes, 5)

    def test_output_to_a_file_is_appended_where_the_shell_stood(self):
        with Machine() as machine:
            log = machine.root / "log"
            command = " ".join(machine.start_argv("-q", "--", "echo", "agent"))
            with log.open("wb") as output:
                subprocess.run(["sh", "-c", f"echo before; {command}; echo after"], env=machine.environment, cwd=machine.project,
                               stdin=subprocess.DEVNULL, stdout=output, check=True)
            self.assertEqual(log.read_text(), "before\nagent\nafter\n")

    def test_the_callers_pipe_stays_blocking(self):
        with Machine() as machine:
            read_end, write_end = os.pipe()
            self.addCleanup(os.close, read_end)
            self.addCleanup(os.close, write_end)
            machine.run("start", "-q", "--", "true", stdout=write_end, stdin=read_end)
            self.assertTrue(os.get_blocking(write_end))
            self.assertTrue(os.get_blocking(read_end))


class ClosedStreams(unittest.TestCase):
    def start_closed(self, machine, redirection, script):
        command = machine.start_argv("-q", "--", "sh", "-c", script)
        return subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", *command], env=machine.environment,
                              cwd=machine.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
                              check=False)

    def test_a_closed_input_is_an_empty_one(self):
        with Machine() as machine:
            done = self.start_closed(machine, "<&-", "cat; echo end")
            self.assertEqual((done.returncode, done.stdout), (0, "end\n"), done.stderr)

    def test_a_closed_output_is_nowhere_and_never_a_file_of_ours(self):
        with Machine() as machine:
            for redirection in (">&-", ">&- 2>&-", "<&- >&- 2>&-"):
                done = self.start_closed(machine, redirection, "echo lost; echo lost >&2; echo kept > kept; exit 3")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual((machine.project / "kept").read_text(), "kept\n")
                self.assertEqual(done.stdout, "")
                self.assertEqual(machine.records(), [])
            self.assertEqual([receipt["exit_status"] for receipt in machine.receipts()], [3, 3, 3])


if __name__ == "__main__":
    unittest.main(verbosity=2)
