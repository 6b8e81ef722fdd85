# SPDX-License-Identifier: Apache-2.0
"""logs: what a session's terminal has shown, kept on disk within bounds and harmless to read."""
import contextlib
import subprocess
import unittest

import processes
from machine import Machine
from pty_driver import PtyDriver

MARK = "[… earlier output dropped]"


class LogsCase(unittest.TestCase):
    @contextlib.contextmanager
    def terminal(self, machine, script, *options, name="s", **popen):
        argv = machine.start_argv("-q", "--name", name, *options, "--", "sh", "-c", script)
        with PtyDriver(argv, machine.environment, machine.project, **popen) as driver:
            yield driver
        machine.run("status")
        processes.wait_for_all_to_end(machine.processes, 5)

    def log_directories(self, machine):
        return sorted((machine.home / ".local/state/agentctl/logs").glob("*"))


class Kept(LogsCase):
    def test_the_output_is_there_while_the_session_runs_and_after_its_end(self):
        with Machine() as machine:
            with self.terminal(machine, "echo one; read line; echo two") as terminal:
                terminal.expect("one")
                self.assertEqual(machine.run("logs", "s").stdout, "one\n")
                terminal.send("\n")
                terminal.wait()
            done = machine.run("logs", "s")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "one\n\ntwo\n", ""))

    def test_by_name_the_session_that_ended_last(self):
        with Machine() as machine:
            for word in ("first", "second"):
                with self.terminal(machine, f"echo {word}") as terminal:
                    terminal.wait()
            self.assertEqual(machine.run("logs", "s").stdout, "second\n")
            ids = {receipt["id"] for receipt in machine.receipts()}
            self.assertEqual({machine.run("logs", session).stdout for session in ids}, {"first\n", "second\n"})

    def test_plain_is_text_and_raw_is_every_byte(self):
        with Machine() as machine:
            with self.terminal(machine, r"stty raw; printf '\033[31mred\033[0m\033]52;c;QUJD\007 10%%\r20%%\r\nend\n'") as terminal:
                terminal.wait()
            self.assertEqual(machine.run("logs", "s").stdout, "20%\nend\n")
            raw = subprocess.run([machine.agentctl, "logs", "--raw", "s"], env=machine.environment, capture_output=True, check=True)
            self.assertEqual(raw.stdout, b"\x1b[31mred\x1b[0m\x1b]52;c;QUJD\x07 10%\r20%\r\nend\n")

    def test_the_files_are_the_users_alone(self):
        with Machine() as machine:
            with self.terminal(machine, "echo one") as terminal:
                terminal.wait()
            [directory] = self.log_directories(machine)
            modes = [path.stat().st_mode & 0o777 for path in (directory.parent, directory, directory / "0")]
            self.assertEqual([oct(mode) for mode in modes], [oct(0o700), oct(0o700), oct(0o600)])

    def test_a_flood_keeps_its_end_within_bounds_and_says_so(self):
        with Machine() as machine:
            script = "stty raw; seq 1 2000000; echo THE END"
            machine.run("start", "--detach", "-q", "--name", "s", "--", "sh", "-c", script)
            machine.run("logs", "-f", "s", stdout=subprocess.DEVNULL)
            [directory] = self.log_directories(machine)
            sizes = [path.stat().st_size for path in directory.iterdir()]
            self.assertEqual(len(sizes), 2)
            self.assertLessEqual(sum(sizes), 8 << 20)
            lines = machine.run("logs", "s").stdout.split("\n")
            self.assertEqual(lines[0], MARK)
            self.assertEqual(lines[-2:], ["THE END", ""])
            numbers = [int(line) for line in lines[2:-2]]
            self.assertEqual(numbers, list(range(numbers[0], 2000001)))

    def test_a_session_sees_no_log(self):
        look = "find / -path '*agentctl/logs*' 2>/dev/null; ls ~/.local/state/agentctl; echo DONE"
        for options in ((), ("--home", "read-only")):
            with self.subTest(options=options), Machine() as machine:
                with self.terminal(machine, "echo earlier") as terminal:
                    terminal.wait()
                with self.terminal(machine, look, *options) as terminal:
                    terminal.wait()
                    terminal.expect("DONE")
                    self.assertNotIn("logs", terminal.text())


class Followed(LogsCase):
    def test_follow_shows_what_comes_and_ends_with_the_session(self):
        with Machine() as machine, self.terminal(machine, "read a; echo one; read a; echo two; read a") as terminal:
            processes.wait_for_directory_change(machine.runtime / "agentctl", machine.sessions, 20, "a session")
            with machine.popen("logs", "-f", "s") as logs:
                for word in ("one", "two"):
                    terminal.send("\n")
                    self.assertEqual(logs.stdout.readline(), "\n")
                    self.assertEqual(logs.stdout.readline(), word + "\n")
                terminal.send("\n")
                terminal.wait()
                self.assertEqual(logs.wait(20), 0)

    def test_follow_ends_when_nobody_reads_it_any_more(self):
        with Machine() as machine:
            with self.terminal(machine, "echo one; read line") as terminal:
                terminal.expect("one")
                logs = machine.popen("logs", "-f", "s", stderr=subprocess.DEVNULL)
                self.assertEqual(logs.stdout.readline(), "one\n")
                logs.stdout.close()
                self.assertEqual(logs.wait(20), 0)  # while the session runs on, and says nothing
                terminal.send("\n")
                terminal.wait()

    def test_follow_of_a_session_that_is_over_ends_at_once(self):
        with Machine() as machine:
            with self.terminal(machine, "echo one") as terminal:
                terminal.wait()
            self.assertEqual(machine.run("logs", "--follow", "s").stdout, "one\n")


class Trouble(LogsCase):
    def test_a_full_disk_ends_nothing_and_is_told(self):
        with Machine() as machine:
            state = machine.home / ".local/state"
            state.mkdir(parents=True)
            # The file system of the log has room for little; the supervisor sees it as the rest of its home.
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs", state], check=True)
            try:
                script = "stty raw -echo; head -c 2000000 /dev/zero | tr '\\0' x; echo READY; head -c 1; echo AFTER; head -c 1"
                with self.terminal(machine, script) as terminal:
                    terminal.expect("READY")
                    [warning] = [text for text in machine.status("s")["warnings"] if "missing from the log" in text]
                    self.assertIn("No space left on device", warning)
                    terminal.send("x")
                    terminal.expect("AFTER")
                    terminal.send("x")
                    self.assertEqual(terminal.wait(), 0)
            finally:
                subprocess.run(["umount", state], check=True)

    def test_a_limit_on_file_sizes_ends_nothing(self):
        with Machine() as machine:
            argv = machine.start_argv("-q", "--name", "s", "--", "sh", "-c", "seq 1 50000; exit 3")
            wrapped = ["sh", "-c", 'ulimit -f 200; exec "$@"', "sh", *argv]
            with PtyDriver(wrapped, machine.environment, machine.project) as terminal:
                self.assertEqual(terminal.wait(), 3)

    def test_raw_is_refused_to_a_terminal(self):
        with Machine() as machine:
            with self.terminal(machine, r"printf '\033]52;c;QUJD\007'") as terminal:
                terminal.wait()
            with PtyDriver([machine.agentctl, "logs", "--raw", "s"], machine.environment, machine.project) as logs:
                self.assertEqual(logs.wait(), 2)
                logs.expect("agentctl: --raw does not print to a terminal: it would obey what the agent printed")
                self.assertNotIn(b"\x1b", logs.raw)

    def test_a_session_without_a_terminal_has_no_log(self):
        with Machine() as machine, machine.session("echo one"):
            done = machine.run("logs", "s")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^agentctl: 's' has no log: what it prints goes to pipes or files\n")

    def test_a_session_that_never_was_has_none(self):
        with Machine() as machine:
            done = machine.run("logs", "nobody")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "^agentctl: session 'nobody' not found\n")

    def test_proc_02_the_log_outlives_a_killed_supervisor(self):
        with Machine() as machine, self.terminal(machine, "echo one; exec sleep 1000") as terminal:
            terminal.expect("one")
            terminal.process.kill()
            terminal.wait()
            self.assertEqual(machine.run("logs", "s").stdout, "one\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
