# SPDX-License-Identifier: Apache-2.0
"""What an agent may do to the terminal that shows it, seen from that terminal."""
import contextlib
import signal
import unittest

import processes
from machine import Machine
from pty_driver import PtyDriver

MODES = r"\033[?1049h\033[?25l\033[?1002;1006h\033[?2004h\033[?1h\033=\033[5 q\033[2;5r"
HARMLESS = [
    "\x1b[1;31mred\x1b[0m", "\x1b]2;a title\x1b\\", "\x1b]8;;https://example.org/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[c", "\x1b[6n", "\x1b[>q", "\x1b]10;?\x1b\\", "\x1b]11;?\x07", "\x1b[?u", "\x1b[?2026$p", "\x1b[?2026h", "\x1b[?2026l",
    "\x1b[18t", "“é漢😀”",
]
HARMFUL = [
    "\x1b]52;c;QUJD\x07", "\x1b]52;c;?\x1b\\", "\x1b[21t", "\x1b[20t", "\x05", "\x1bP$qm\x1b\\", "\x1bP+q544e\x1b\\",
    "\x1b]9;note\x07", "\x1b]777;notify;a;b\x07", "\x1b]1337;File=:AAAA\x07", "\x1b_Gt=f,f=100;L2V0Yw==\x1b\\",
    "\x1bPtmux;\x1b\x1b]52;c;QUJD\x07\x1b\\", "\x1b[5i", "\x1b[8;5;5t", "\x1b%@", "\x1b G", "\x1b[2h", "\x1b]4;1;#414141\x07",
    "\x1b]7;file:///etc\x07", "\x1bkname\x1b\\", "\x9d52;c;QUJD\x07",
]


class FilterCase(unittest.TestCase):
    @contextlib.contextmanager
    def terminal(self, machine, script, policy=""):
        if policy:
            path = machine.home / ".config/agentctl/policy.toml"
            path.parent.mkdir(parents=True)
            path.write_text(policy)
        argv = machine.start_argv("--name", "s", "--", "sh", "-c", script)
        with PtyDriver(argv, machine.environment, machine.project) as driver:
            yield driver
        machine.run("status")
        processes.wait_for_all_to_end(machine.processes, 5)

    def shown(self, machine, pieces, policy=""):
        """The bytes that reach the terminal of what the agent prints: each piece between marks."""
        marked = [b"<%d>%s</%d>" % (at, piece.encode(), at) for at, piece in enumerate(pieces)]
        (machine.project / "output").write_bytes(b"".join(marked))
        with self.terminal(machine, "stty raw; cat output; echo END", policy) as terminal:
            self.assertEqual(terminal.wait(), 0)
            terminal.expect("END")
            raw = terminal.raw
        return [raw.partition(b"<%d>" % at)[2].partition(b"</%d>" % at)[0].decode() for at in range(len(pieces))]


class Filtered(FilterCase):
    def test_tty_05_what_draws_and_what_programs_ask_at_their_start_passes_unchanged(self):
        with Machine() as machine:
            self.assertEqual(self.shown(machine, HARMLESS), HARMLESS)

    def test_what_reaches_beyond_the_screen_or_has_the_terminal_type_does_not_pass(self):
        with Machine() as machine:
            shown = self.shown(machine, HARMFUL)
            self.assertEqual(shown[:-1], [""] * (len(HARMFUL) - 1))
            self.assertEqual(shown[-1], "�52;c;QUJD\x07")  # without its introducer it is text

    def test_an_attached_terminal_gets_none_of_it_either(self):
        with Machine() as machine:
            (machine.project / "output").write_bytes("".join(HARMFUL).encode())
            script = "stty raw -echo; echo READY; head -c 1; cat output; echo END; head -c 1"
            with self.terminal(machine, script) as first:
                first.expect("READY")
                with PtyDriver([machine.agentctl, "attach", "s"], machine.environment, machine.project) as client:
                    client.expect("watching s")
                    mark = client.mark()
                    first.send("x")
                    client.expect("END", since=mark)
                    received = client.raw[mark:]
                for part in (b"\x1b]", b"\x1bP", b"\x1b_", b"\x1bk", b"\x05", b"\x1b[5i", b"\x1b%", "\x9d".encode()):
                    self.assertNotIn(part, received)
                first.send("x")
                first.wait()

    def test_the_user_may_have_everything_and_is_told(self):
        with Machine() as machine:
            policy = "[terminal]\nfilter = false\n"
            self.assertEqual(self.shown(machine, HARMFUL, policy), HARMFUL)
        with Machine() as machine, self.terminal(machine, ":", policy) as terminal:
            terminal.expect("warning: terminal: what the agent prints is not filtered")
            terminal.wait()

    def test_a_project_may_not(self):
        with Machine() as machine:
            (machine.project / ".agentctl.toml").write_text("[terminal]\nfilter = false\n")
            done = machine.start(":")
            self.assertEqual(done.returncode, 3)
            self.assertIn(".agentctl.toml:2:10: error: a project's file must not widen the sandbox", done.stderr)


class LeftBehind(FilterCase):
    def ends(self, script, end, status):
        with Machine() as machine, self.terminal(machine, script) as terminal:
            terminal.expect("READY")
            mark = terminal.mark()
            end(machine, terminal)
            self.assertEqual(terminal.wait(), status)
            terminal.expect("s: (exited|stopped|ended)", since=mark)
            raw = terminal.raw[mark:]
            for reset in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1002l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[?1l", b"\x1b>",
                          b"\x1b[0 q", b"\x1b[r"):
                self.assertIn(reset, raw)

    def test_modes_of_an_agent_that_was_killed_are_taken_back(self):
        def stop(machine, _):
            machine.run("stop", "--kill", "s")
        self.ends(f"printf '{MODES}'; echo READY; exec sleep 1000", stop, 137)

    def test_modes_of_an_agent_that_forgot_them_are_taken_back(self):
        self.ends(f"printf '{MODES}'; echo READY; read line", lambda _, terminal: terminal.send("\n"), 0)

    def test_an_agent_that_sets_nothing_adds_nothing(self):
        with Machine() as machine, self.terminal(machine, "echo READY; read line") as terminal:
            terminal.expect("READY")
            mark = terminal.mark()
            terminal.send("\n")
            terminal.wait()
            terminal.expect("exited with 0", since=mark)
            self.assertNotIn(b"\x1b", terminal.raw[mark:])

    def test_answers_that_come_late_do_not_reach_the_shell(self):
        script = "stty raw -echo; echo READY; exec sleep 1000"
        with Machine() as machine, self.terminal(machine, script) as terminal:
            terminal.expect("READY")
            terminal.send(b"left unread")
            terminal.process.send_signal(signal.SIGTERM)
            terminal.wait()
            # In lines again: what is left unread would be there after the next line.
            terminal.send(b"next\n")
            with open(terminal.slave_name, "rb", buffering=0) as slave:
                self.assertEqual(slave.read(100), b"next\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
