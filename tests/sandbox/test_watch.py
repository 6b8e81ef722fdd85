# SPDX-License-Identifier: Apache-2.0
"""status --watch on a terminal and for programs, and status --all with what has ended."""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from machine import Machine
from pty_driver import PtyDriver

ALTERNATE, BACK = b"\x1b[?1049h", b"\x1b[?1049l"
LIMITS = ("--memory-max", "512M", "--tasks-max", "300", "--cpu-quota", "50%")


class Watch(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def watch(self, *words, rows=24, columns=120, **variables):
        environment = {**self.machine.environment, "TERM": "xterm-256color", **variables}
        argv = [self.machine.agentctl, "status", "--watch", *words]
        return PtyDriver(argv, environment, self.machine.project, rows=rows, columns=columns)

    def assert_restored(self, driver):
        driver.expect(lambda _: BACK in driver.raw)
        self.assertEqual(driver.settings(), driver.settings_before)
        self.assertGreater(driver.raw.rfind(BACK), driver.raw.rfind(ALTERNATE))
        self.assertGreater(driver.raw.rfind(b"\x1b[?25h"), driver.raw.rfind(b"\x1b[?25l"))

    def test_a_line_a_session_with_bars_that_goes_on_until_q(self):
        with self.machine.session("while :; do :; done & true", *LIMITS), self.watch() as driver:
            driver.expect(r"NAME +STATE +AGE +MEMORY +CPU +TASKS")
            driver.expect(r"s +running +\d+s.*\[.*[KM]/512\.0M +\[.*%/50% +\[#.*\d/300")
            driver.expect(r"\[#+ *\] [1-9]\d*%/50%")
            self.assertTrue(driver.raw.startswith(ALTERNATE))
            driver.send("q")
            self.assertEqual(driver.wait(), 0)
            self.assert_restored(driver)

    def test_ctrl_c_and_a_term_signal_give_the_terminal_back(self):
        with self.watch() as driver:
            driver.expect("no session is running")
            driver.send("\x03")
            self.assertEqual(driver.wait(), 0)
            self.assert_restored(driver)
        with self.watch() as driver:
            driver.expect("no session is running")
            driver.process.send_signal(signal.SIGTERM)
            self.assertEqual(driver.wait(), 143)
            self.assert_restored(driver)

    def test_it_shows_what_comes_and_what_changes(self):
        with self.watch() as driver:
            driver.expect("no session is running")
            with self.machine.session(":", *LIMITS):
                driver.expect("s +running")
                self.assertEqual(self.machine.run("pause", "s").returncode, 0)
                driver.expect("s +frozen")
                self.assertEqual(self.machine.run("set", "s", "tasks-max=77").returncode, 0)
                driver.expect(r"/77 ")
            mark = driver.mark()
            driver.expect("no session is running", since=mark)
            driver.send("q")
            self.assertEqual(driver.wait(), 0)

    def test_it_fits_itself_to_the_window(self):
        with self.machine.session(":", *LIMITS), self.watch(columns=140) as driver:
            driver.expect(r"\[#")
            mark = driver.mark()
            driver.resize(10, 40)
            os.kill(driver.process.pid, signal.SIGWINCH)
            driver.expect("NAME", since=mark)
            lines = driver.expect(lambda text: text if "q: quit" in text else None, since=mark)
            lines = lines.replace("q: quit", "q: quit\r\n").split("\r\n")  # there may be two pictures by now
            self.assertLessEqual(max(len(line.rstrip("\r")) for line in lines), 40, lines)
            self.assertNotIn("[", "".join(lines))
            driver.send("q")
            self.assertEqual(driver.wait(), 0)

    def test_colours_are_left_out_where_they_are_not_wanted(self):
        with self.machine.session(":", *LIMITS):
            cases = (({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False))
            for variables, has_colours in cases:
                with self.subTest(**variables), self.watch(**variables) as driver:
                    driver.expect("s +running")
                    driver.send("q")
                    self.assertEqual(driver.wait(), 0)
                    self.assertEqual(b"\x1b[32m" in driver.raw, has_colours)

    def test_one_session_is_watched_to_its_end(self):
        with self.machine.session(":") as session, self.watch("s") as driver:
            driver.expect("s +running")
            self.assertEqual(self.machine.run("stop", "--kill", "s").returncode, 0)
            self.assertEqual(driver.wait(), 0)
            self.assert_restored(driver)
            self.assertEqual(session.finish().returncode, 137)

    def test_a_program_gets_a_line_of_json_each_time(self):
        with self.machine.session(":", *LIMITS) as session:
            watch = self.machine.popen("status", "--watch", "--json", "s")
            first = json.loads(watch.stdout.readline())
            self.assertEqual([(one["name"], one["state"]) for one in first], [("s", "running")])
            self.assertEqual(self.machine.run("pause", "s").returncode, 0)
            second = json.loads(watch.stdout.readline())
            self.assertEqual((second[0]["state"], second[0]["id"]), ("frozen", session.known["id"]))
            watch.send_signal(signal.SIGINT)
            self.assertEqual(watch.wait(10), 0)
            watch.communicate()

    def test_a_reader_that_goes_away_ends_it(self):
        watch = self.machine.popen("status", "--watch", "--json")
        self.assertEqual(watch.stdout.readline(), "[]\n")
        watch.stdout.close()
        self.assertEqual(watch.wait(10), 0)
        self.assertEqual(watch.stderr.read(), "")
        watch.stderr.close()

    def test_without_a_terminal_it_is_refused(self):
        done = self.machine.run("status", "--watch")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^agentctl: --watch needs a terminal\nhint: for programs: --watch --json, .*\n$")

    def test_what_cannot_be_shown_together_is_refused(self):
        with self.machine.session(":"):
            for words in (("--watch", "--all"), ("--all", "s")):
                done = self.machine.run("status", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            done = self.machine.run("status", "--watch", "nobody")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("session 'nobody' not found", done.stderr)


class Ended(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.receipts = self.machine.home / ".local/state/agentctl/receipts"

    def test_all_shows_the_ended_below_those_that_run_the_last_first(self):
        self.assertEqual(self.machine.start("exit 3", "--name", "one").returncode, 3)
        self.assertEqual(self.machine.start("kill -9 $$", "--name", "two").returncode, 137)
        with self.machine.session(":", name="three"):
            text = self.machine.run("status", "--all").stdout
            self.assertRegex(text, r"^NAME +STATE .*\nthree +running .*\n\nNAME +ID +ENDED +HOW .*\n"
                                   r"two .* SIGKILL .*\none .* exited with 3 .*\n$")
            self.assertNotIn("one ", self.machine.run("status").stdout)
            listed = json.loads(self.machine.run("status", "-a", "--json").stdout)
            self.assertEqual([(one["name"], one["state"]) for one in listed],
                             [("three", "running"), ("two", "ended"), ("one", "ended")])
            self.assertEqual(listed[1]["exit_status"], 137)

    def test_the_last_200_receipts_are_kept_with_their_logs_and_nothing_else_is_touched(self):
        self.receipts.mkdir(parents=True, mode=0o700)
        logs = self.receipts.parent / "logs"
        logs.mkdir(mode=0o700)
        for number in range(230):
            path = self.receipts / f"{number:08x}.json"
            path.write_text("{}")
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
            (logs / f"{number:08x}").mkdir()
        notes = self.receipts / "notes.json"
        notes.write_text("{}")
        os.utime(notes, (1, 1))
        self.assertEqual(self.machine.start("true").returncode, 0)
        left = sorted(path.name for path in self.receipts.iterdir())
        self.assertIn("notes.json", left)
        self.assertEqual(len(left), 201)
        old = [name for name in left if name.startswith("0000")]
        self.assertEqual(old, [f"{number:08x}.json" for number in range(31, 230)])
        old = sorted(path.name for path in logs.iterdir() if path.name.startswith("0000"))
        self.assertEqual(old, [f"{number:08x}" for number in range(31, 230)])

    def test_a_receipt_that_is_damaged_is_left_out(self):
        self.assertEqual(self.machine.start("true", "--name", "one").returncode, 0)
        (self.receipts / "0000000a.json").write_text("{")
        (self.receipts / "0000000b.json").write_text('{"id":"0000000c","name":"\\u001b[2J"}')
        done = self.machine.run("status", "--all")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)
        self.assertNotIn("\x1b", done.stdout)


class Several(unittest.TestCase):
    """stop of several at once."""

    DEAF = "trap '' TERM; echo ready > .ready; while :; do sleep 1000; done"

    def test_all_are_asked_at_once_and_their_graces_run_side_by_side(self):
        with Machine() as machine:
            other = machine.home / "other"
            other.mkdir()
            with (machine.session(self.DEAF, name="one", waits=True),
                  machine.session(self.DEAF, name="two", cwd=other, waits=True)):
                begun = time.monotonic()
                done = machine.run("stop", "--all", "--grace", "2s")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLess(time.monotonic() - begun, 3.9)
                for name in ("one", "two"):
                    self.assertRegex(done.stderr, f"'{name}': had to kill sh")
                self.assertEqual(machine.records(), [])

    def test_none_to_stop_is_told_and_is_no_failure(self):
        with Machine() as machine:
            done = machine.run("stop", "--all")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "agentctl: no session is running\n"))

    def test_one_that_is_not_there_stops_none(self):
        with Machine() as machine, machine.session(":", name="one") as session:
            done = machine.run("stop", "one", "nobody")
            self.assertEqual(done.returncode, 1)
            self.assertIn("session 'nobody' not found", done.stderr)
            self.assertEqual(session.status()["state"], "running")

    def test_one_that_fails_does_not_keep_the_others_and_is_told(self):
        with Machine() as machine:
            other = machine.home / "other"
            other.mkdir()
            with machine.session(":", name="one") as one, machine.session(":", name="two", cwd=other) as two:
                record = machine.runtime / "agentctl" / one.known["id"] / "record"
                stranger = subprocess.Popen(["sleep", "1000"])
                self.addCleanup(stranger.wait)
                self.addCleanup(stranger.kill)
                start_time = pathlib.Path(f"/proc/{stranger.pid}/stat").read_text().rpartition(")")[2].split()[19]
                lines = record.read_text().splitlines()
                lie = {"SUPERVISOR_PID": stranger.pid, "SUPERVISOR_START_TIME": start_time}
                told = [f"{key}={lie[key]}" if (key := line.split("=")[0]) in lie else line for line in lines]
                (record.parent / "control").unlink()
                record.write_text("\n".join(told) + "\n")
                done = machine.run("stop", "one", "two")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"process {stranger.pid} is no agentctl", done.stderr)
                self.assertEqual(two.finish().returncode, 143)
                self.assertIsNone(stranger.poll())
                record.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
