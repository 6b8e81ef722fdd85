# SPDX-License-Identifier: Apache-2.0
"""The launcher on a desktop: windows of a real terminal emulator on a virtual display, tied to the sessions in them."""
import os
import pathlib
import re
import select
import signal
import subprocess
import unittest

import processes
from desktop import COLOUR, Desktop
from machine import Machine
from pty_driver import PtyDriver
from waiting import wait_for_end

ODD_NAMES = ["with space", "quo'te\"d", "new\nline", "-dash", "--help", "100%f %u%", "$(touch x)`y`;&|<>*?!", "back\\slash\\n",
             "café", os.fsdecode(b"not-utf8-\xff\xfe"), "_20", " both ends ", "=x", "~"]
ARTEFACT = pathlib.Path(os.environ["AGENTCTL"]).parent / "tests/sandbox/launcher.png"


class Windows(unittest.TestCase):
    def test_a_window_opens_in_which_the_agent_runs_in_the_chosen_project(self):
        with Desktop() as desktop:
            done = desktop.launch("-p", "claude", str(desktop.project))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(desktop.wait_for_agent(desktop.project), str(desktop.agent))
            (session,) = desktop.sessions()
            self.assertEqual((session["project"], session["profile"], session["state"]), (str(desktop.project), "claude", "running"))
            self.assertEqual(session["parent"], {"kind": "caller", "pid": desktop.window_program()[0]})
            self.assertEqual(processes.arguments(processes.parent(session["parent"]["pid"]))[0], str(desktop.programs / "xterm"))
            desktop.display.wait_for(lambda: desktop.display.count_colour(*COLOUR) > 5000, "what the agent draws")
            ARTEFACT.parent.mkdir(parents=True, exist_ok=True)
            desktop.display.save(ARTEFACT)
            self.assertGreater(ARTEFACT.stat().st_size, 1000)

    def test_closing_the_window_ends_the_session(self):
        with Desktop() as desktop:
            desktop.launch("-p", "claude", str(desktop.project))
            desktop.wait_for_agent(desktop.project)
            desktop.display.close(desktop.display.wait_for_window())
            desktop.wait_until_nothing_runs()
            (receipt,) = desktop.receipts()
            self.assertIn(receipt["cause"], ("hangup", "parent-died"))

    def test_killing_the_terminal_emulator_ends_the_session(self):
        with Desktop() as desktop:
            desktop.launch("-p", "claude", str(desktop.project))
            desktop.wait_for_agent(desktop.project)
            (emulator,) = desktop.programs_named("xterm")
            os.kill(emulator, signal.SIGKILL)
            desktop.wait_until_nothing_runs()

    def test_the_end_of_the_agent_closes_the_window(self):
        with Desktop() as desktop:
            desktop.add_agent("claude", "#!/bin/sh\necho done > .agent\n")
            desktop.launch("-p", "claude", str(desktop.project))
            desktop.wait_for_agent(desktop.project)
            desktop.wait_until_nothing_runs()
            desktop.display.wait_until_empty()

    def test_directories_with_any_name_arrive_unchanged(self):
        with Desktop() as desktop:
            for name in ODD_NAMES:  # "~" alone would be typed for the home
                with self.subTest(name=name):
                    project = os.path.join(desktop.home, "dev", name)
                    os.makedirs(project)
                    done = desktop.launch("-p", "claude", "--", project if name == "~" else name, cwd=os.path.dirname(project))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    desktop.wait_for_agent(project)
                    (emulator,) = desktop.programs_named("xterm")
                    os.kill(emulator, signal.SIGKILL)
                    desktop.wait_until_nothing_runs()
            self.assertEqual(sorted(os.listdir(desktop.home / "dev")), sorted(ODD_NAMES))

    def test_an_emulator_that_hands_over_to_a_server_is_waited_for_and_the_session_ends_with_its_window(self):
        with Desktop() as desktop:
            desktop.environment["TERMINAL"] = "urxvtc"
            desktop.environment["RXVT_SOCKET"] = str(desktop.root / "urxvtd")
            server = subprocess.Popen(["urxvtd"], env=desktop.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE)
            try:
                self.assertIn(b"listening", server.stderr.readline())
                done = desktop.launch("-p", "claude", str(desktop.project))
                self.assertEqual(done.returncode, 0, done.stderr)
                desktop.wait_for_agent(desktop.project)
                (window,) = desktop.window_program()
                self.assertEqual(processes.parent(window), server.pid)
                desktop.display.close(desktop.display.wait_for_window())
                wait_for_end(window)
                self.assertIsNone(server.poll())
            finally:
                server.kill()
                server.wait()
                server.stderr.close()
            desktop.wait_until_nothing_runs()

    def failed_window(self, desktop):
        """A window whose agent has failed, and agentctl in it, which is left alone there."""
        desktop.add_agent("claude", "#!/bin/sh\necho done > .agent; exit 3\n")
        desktop.launch("-p", "claude", str(desktop.project))
        window = desktop.display.wait_for_window()
        desktop.wait_for_agent(desktop.project)
        (program,) = desktop.window_program()
        for pid in processes.every():
            if processes.parent(pid) == program:
                wait_for_end(pid)
        self.assertEqual(desktop.sessions(), [])
        return window, program

    def test_the_window_of_an_agent_that_fails_stays_until_a_key_is_pressed(self):
        with Desktop() as desktop:
            window, program = self.failed_window(desktop)
            self.assertEqual(desktop.window_program(), [program])
            # What is typed before it asks does not count.
            while desktop.display.windows():
                desktop.display.type(window, "x")
                desktop.display.wait_for_change(0.5)
            desktop.wait_until_nothing_runs()

    def test_the_window_of_an_agent_that_failed_can_be_closed_and_nothing_remains(self):
        with Desktop() as desktop:
            window, _ = self.failed_window(desktop)
            desktop.display.close(window)
            desktop.wait_until_nothing_runs()


class InWindow(unittest.TestCase):
    """The program in the window, on a terminal whose text can be read."""

    def in_window(self, machine, *words):
        # Nobody waits for it: process 1 has begun at another time.
        plain = [re.sub(r"_|^-", lambda special: f"_{ord(special[0]):02x}", word) for word in words]
        return PtyDriver([machine.agentctl, "in-window", "1", "1", *plain], machine.environment, machine.project)

    def test_an_error_stays_to_be_read_until_a_key_is_pressed_and_the_status_is_passed_on(self):
        with Machine() as machine, self.in_window(machine, "start", "-C", str(machine.home), "-p", "shell") as window:
            text = window.expect("press a key to close this window").string
            self.assertIn("agentctl: refused to use", text)
            self.assertIn("agentctl: ended with status 3; press a key", text)
            self.assertIsNone(window.process.poll())
            pidfd = os.pidfd_open(window.process.pid)
            self.addCleanup(os.close, pidfd)
            while not select.select([pidfd], [], [], 0.5)[0]:
                window.send("x")
            self.assertEqual(window.wait(), 3)

    def test_the_end_of_the_terminal_ends_it(self):
        with Machine() as machine:
            window = self.in_window(machine, "start", "-C", str(machine.home), "-p", "shell")
            window.expect("press a key to close this window")
            window.process.send_signal(signal.SIGHUP)
            self.assertEqual(window.wait(), -signal.SIGHUP)
            window.close()

    def test_what_succeeds_is_not_held(self):
        with Machine() as machine, self.in_window(machine, "status") as window:
            self.assertEqual(window.wait(), 0)
            self.assertNotIn("press a key", window.text())

    def test_words_that_no_launcher_writes_run_nothing(self):
        with Machine() as machine:
            for words in (("start", "-C"), ("start", "a b"), ("_",) * 3):
                done = machine.run("in-window", "1", "1", *words)
                self.assertEqual(done.returncode, 2, done.stdout)
            self.assertEqual(machine.receipts(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
