# SPDX-License-Identifier: Apache-2.0
"""A session on a terminal: size, keys, bytes, and the terminal as it was when the session is over."""
import contextlib
import os
import signal
import textwrap
import unittest

import processes
from machine import Machine
from pty_driver import PtyDriver

INTERRUPTIBLE = """
    import signal
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGQUIT})
    print("READY", flush=True)
    while True:
        print("GOT", signal.Signals(signal.sigwait({signal.SIGINT, signal.SIGQUIT})).name, flush=True)
"""
SHOW_SIZE = "show() { stty size | sed 's/^/size /'; }; trap show WINCH; show; echo READY; while :; do sleep 1000 & wait $!; done"
INJECT = """
    import ctypes, fcntl, os, termios
    libc = ctypes.CDLL(None, use_errno=True)
    for request in (termios.TIOCSTI, termios.TIOCSTI | 1 << 32, 0x541C, 0x541C | 1 << 32):
        done = libc.syscall(16, 0, ctypes.c_ulong(request), ctypes.c_char_p(b"\\x02"))
        print(f"request {request:#x}: {done} {os.strerror(ctypes.get_errno())}")
    print("DONE")
"""
ECHO = """
    import os, sys, tty
    tty.setraw(0)
    os.write(1, b"READY")
    received = b""
    while len(received) < int(sys.argv[1]):
        received += os.read(0, 65536)
    open("received", "wb").write(received)
    os.write(1, b"<<")
    view = memoryview(received)
    while view:
        view = view[os.write(1, view):]
    os.write(1, b">>")
"""


class TerminalCase(unittest.TestCase):
    @contextlib.contextmanager
    def terminal(self, machine, *command, **size):
        argv = machine.start_argv("-q", "--name", "s", "--", *command)
        with PtyDriver(argv, machine.environment, machine.project, **size) as driver:
            yield driver
        machine.run("status")
        processes.wait_for_all_to_end(machine.processes, 5)

    def shell(self, machine, script, **size):
        return self.terminal(machine, "sh", "-c", script, **size)

    def python(self, machine, source, *arguments):
        (machine.project / "program.py").write_text(textwrap.dedent(source))
        return self.terminal(machine, "python3", "program.py", *arguments)


class Keys(TerminalCase):
    def test_ctrl_c_reaches_the_agents_task_and_the_session_lives(self):
        with Machine() as machine, self.python(machine, INTERRUPTIBLE) as terminal:
            terminal.expect("READY")
            for _ in range(2):
                mark = terminal.mark()
                terminal.send(b"\x03")
                terminal.expect("GOT SIGINT", since=mark)
            self.assertIsNone(terminal.process.poll())
            self.assertEqual(machine.status("s")["state"], "running")
            machine.run("stop", "--kill", "s")
            self.assertEqual(terminal.wait(), 137)

    def test_ctrl_backslash_reaches_the_agent_alone(self):
        with Machine() as machine, self.python(machine, INTERRUPTIBLE) as terminal:
            terminal.expect("READY")
            terminal.send(b"\x1c")
            terminal.expect("GOT SIGQUIT")
            self.assertIsNone(terminal.process.poll())
            machine.run("stop", "--kill", "s")
            terminal.wait()

    def test_an_agent_that_ctrl_c_ends_gives_130(self):
        with Machine() as machine, self.shell(machine, "echo READY; exec sleep 1000") as terminal:
            terminal.expect("READY")
            terminal.send(b"\x03")
            self.assertEqual(terminal.wait(), 130)

    def test_no_key_can_be_put_into_the_users_terminal(self):
        with open("/proc/sys/dev/tty/legacy_tiocsti", encoding="ascii") as switch:
            self.assertEqual(switch.read().strip(), "1", "this kernel forbids it to everybody: the test would prove nothing")
        with Machine() as machine, self.python(machine, INJECT) as terminal:
            terminal.expect("DONE")
            self.assertEqual(terminal.text().count(": -1 Operation not permitted"), 4, terminal.text())
            self.assertEqual(terminal.wait(), 0)


class Window(TerminalCase):
    def test_the_size_is_the_users_at_the_start_and_after_a_resize(self):
        with Machine() as machine, self.shell(machine, SHOW_SIZE, rows=33, columns=101) as terminal:
            terminal.expect("size 33 101")
            terminal.expect("READY")
            terminal.resize(50, 70)
            terminal.expect("size 50 70", seconds=5)
            machine.run("stop", "--kill", "s")
            terminal.wait()

    def test_the_agent_has_a_controlling_terminal_of_its_own(self):
        script = "test -t 0 && test -t 1 && test -t 2 && : > /dev/tty && echo ALL; tty; bash -i -c : 2>&1 | grep -c 'job control'"
        with Machine() as machine, self.shell(machine, script) as terminal:
            terminal.wait()
            self.assertIn("ALL", terminal.text())
            self.assertNotIn(terminal.slave_name, terminal.text())
            self.assertTrue(terminal.text().split()[-1] == "0", terminal.text())

    def test_tty_04_the_name_of_the_terminal_leads_to_it_and_new_terminals_can_be_made(self):
        script = ("""tty; python3 -c 'import os; os.close(os.open(os.ttyname(0), os.O_RDWR)); print("opened")';"""
                  """script -qec 'tty; echo in script' /dev/null; tmux new -d -s inner 'exec sleep 1000'; tmux ls -F '#S';"""
                  """tmux kill-server; echo END""")
        with Machine() as machine:
            machine.environment["TERM"] = "xterm"
            with self.shell(machine, script) as terminal:
                terminal.expect("END")
                terminal.wait()
                lines = terminal.text().split("\r\n")
        self.assertEqual(lines[:2], ["/dev/console", "opened"], terminal.text())
        self.assertRegex(lines[2], "^/dev/pts/[0-9]+$")
        self.assertEqual(lines[3:6], ["in script", "inner", "END"])


class Bytes(TerminalCase):
    """Without the filter; with it: test_terminal_filter.py."""

    def carry(self, machine, data):
        policy = machine.home / ".config/agentctl/policy.toml"
        policy.parent.mkdir(parents=True)
        policy.write_text("[terminal]\nfilter = false\n")
        with self.python(machine, ECHO, str(len(data))) as terminal:
            terminal.expect("READY")
            mark = terminal.mark()
            terminal.send(data)
            self.assertEqual(terminal.wait(), 0)
            # What follows sets back the modes that the agent has left on.
            terminal.expect(lambda _: len(terminal.raw) - mark >= len(data) + 4)
            return (machine.project / "received").read_bytes(), terminal.raw[mark:mark + len(data) + 4]

    def test_tty_05_every_byte_passes_both_ways_unchanged(self):
        data = bytes(range(256)) * 2 + bytes(reversed(range(256)))
        with Machine() as machine:
            received, shown = self.carry(machine, data)
            self.assertEqual(received, data)
            self.assertEqual(shown, b"<<" + data + b">>")

    def test_tty_05_long_control_strings_pass_whole(self):
        data = b"\x1b]52;c;" + b"QUJD" * 600 + b"\x07\x1bP+q544e\x1b\\\x1b[200~pasted\x1b[201~\x1b[27;2;13~\x1b[?1049h"
        with Machine() as machine:
            received, shown = self.carry(machine, data)
            self.assertEqual(received, data)
            self.assertEqual(shown, b"<<" + data + b">>")

    def test_much_output_arrives_whole(self):
        with Machine() as machine, self.shell(machine, "stty raw; seq 1 400000; echo END") as terminal:
            self.assertEqual(terminal.wait(60), 0)
            terminal.expect(lambda _: terminal.raw.endswith(b"END\n"))
            self.assertEqual(terminal.raw, "".join(f"{number}\n" for number in range(1, 400001)).encode() + b"END\n")


class Restored(TerminalCase):
    """Whatever ends the session, the user's terminal has its settings back."""

    def ends(self, script, end, status):
        with Machine() as machine, self.shell(machine, script) as terminal:
            terminal.expect("READY")
            self.assertNotEqual(terminal.settings(), terminal.settings_before, "it was never raw: this would prove nothing")
            end(machine, terminal)
            self.assertEqual(terminal.wait(), status)
            processes.wait_for_all_to_end(machine.processes, 5)
            self.assertEqual(terminal.settings(), terminal.settings_before)

    def test_after_the_agents_own_end(self):
        self.ends("stty -echo raw; echo READY; read line; exit 5", lambda _, terminal: terminal.send("\r\n"), 5)

    def test_after_sigkill_of_the_agent(self):
        def kill(machine, _):
            os.kill(machine.status("s")["pids"]["leader"], signal.SIGKILL)
        self.ends("echo READY; exec sleep 1000", kill, 137)

    def test_after_sigterm_of_the_supervisor(self):
        self.ends("echo READY; exec sleep 1000", lambda _, terminal: terminal.process.terminate(), 143)

    def test_after_sigkill_of_the_supervisor(self):
        self.ends("echo READY; exec sleep 1000", lambda _, terminal: terminal.process.kill(), -signal.SIGKILL)

    def test_after_a_stop(self):
        self.ends("echo READY; exec sleep 1000", lambda machine, _: machine.run("stop", "s"), 143)

    def test_after_a_start_that_failed(self):
        with Machine() as machine, self.terminal(machine, "./not-there") as terminal:
            self.assertEqual(terminal.wait(), 127)
            self.assertEqual(terminal.settings(), terminal.settings_before)

    def test_the_closing_of_the_terminal_ends_the_session(self):
        script = "trap 'echo asked > asked; exit' HUP TERM; echo READY; while :; do sleep 1000 & wait $!; done"
        with Machine() as machine, self.shell(machine, script) as terminal:
            terminal.expect("READY")
            terminal.process.send_signal(signal.SIGHUP)
            terminal.wait()
            processes.wait_for_all_to_end(machine.processes, 5)
            self.assertTrue((machine.project / "asked").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
