# SPDX-License-Identifier: Apache-2.0
"""attach: a session's terminal on other terminals, as it was, and those terminals as they were afterwards."""
import contextlib
import os
import re
import signal
import unittest

import processes
from machine import Machine
from pty_driver import PtyDriver
from tmux_driver import Tmux
from waiting import wait_for_end

SHOW_SIZE = "show() { stty size | sed 's/^/size /'; }; trap show WINCH; show; echo READY; while :; do sleep 1000 & wait $!; done"
DRESS_UP = r"""\
printf '\033[?1049h\033[?25l\033[?1002;1006h\033[?2004h\033[?1h\033=\033]2;its title\033\\\033[2J\033[3;5H\033[1;44min the middle\033[m'"""
MESSAGE = r"attached to s; detach with C-\] d"


class AttachCase(unittest.TestCase):
    @contextlib.contextmanager
    def terminals(self):
        """A machine and a tmux beside it."""
        with Machine() as machine:
            with Tmux(machine.root, machine.environment) as tmux:
                yield machine, tmux
                if machine.sessions():
                    machine.run("stop", "--kill", "--all")
            machine.run("status")
            processes.wait_for_all_to_end(machine.processes, 10)

    def start(self, machine, tmux, *command, **size):
        return tmux.open(machine.start_argv("-q", "--name", "s", "--", *command), machine.project, **size)

    def attach(self, machine, tmux, *options, **size):
        return tmux.open([machine.agentctl, "attach", *options, "s"], machine.project, **size)

    def client_pid(self, machine):
        """Of the one client, and not of the guard that restores its terminal."""
        clients = [pid for pid in machine.processes() if processes.arguments(pid)[1:2] == ["attach"]]
        [pid] = [pid for pid in clients if processes.parent(pid) not in clients]
        return pid

    def kill_client(self, machine):
        """Returns when its guard has restored the terminal: what the shell says before may be wiped out by that."""
        pid = self.client_pid(machine)
        guards = [other for other in machine.processes() if processes.parent(other) == pid]
        os.kill(pid, signal.SIGKILL)
        for guard in guards:
            wait_for_end(guard)

    @contextlib.contextmanager
    def client(self, machine, *options, **size):
        """An attach on a plain pty, whose bytes and settings can be looked at."""
        with PtyDriver([machine.agentctl, "attach", *options, "s"], machine.environment, machine.project, **size) as driver:
            yield driver


class Screens(AttachCase):
    def test_tty_08_after_sigkill_of_the_client_another_shows_the_same_agent_and_screen(self):
        with self.terminals() as (machine, tmux):
            (machine.project / "text").write_text("".join(f"line {number}\n" for number in range(1, 101)))
            first = self.start(machine, tmux, "less", "text")
            first.expect("^line 1$")
            first.type("20g")
            wanted = first.expect("^line 20$")
            leader = machine.status("s")["pids"]["leader"]
            for _ in range(2):
                client = self.attach(machine, tmux, "--take-over")
                client.expect(MESSAGE)
                client.expect(lambda screen: screen == wanted)
                self.kill_client(machine)
                client.type("\n")
                client.expect("STATUS-137")
            self.assertEqual(machine.status("s")["pids"]["leader"], leader)
            first.type("q")
            first.expect("STATUS-0")

    def test_vim_comes_back_with_its_text_its_cursor_and_its_keys(self):
        with self.terminals() as (machine, tmux):
            first = self.start(machine, tmux, "vim.tiny", "-u", "NONE", "-N", "note")
            first.expect("^~$")
            first.type("ione")
            first.send("Enter")
            first.type("two")
            first.expect("^two$")
            client = self.attach(machine, tmux, "--take-over")
            client.expect(r"^one$\s+^two$")
            self.assertEqual((client.ask("alternate_on"), client.ask("cursor_x"), client.ask("cursor_y")), ("1", "3", "1"))
            client.send("Enter")
            client.type("three")
            client.expect("^three$")
            client.send("Escape")
            client.type(":wq")
            client.send("Enter")
            client.expect("STATUS-0")
            self.assertEqual((machine.project / "note").read_text(), "one\ntwo\nthree\n")
            first.expect("STATUS-0")

    def test_modes_title_and_colours_are_brought_and_taken_away_again(self):
        with self.terminals() as (machine, tmux):
            first = self.start(machine, tmux, "sh", "-c", f"{DRESS_UP}; exec sleep 1000")
            first.expect("in the middle")
            client = self.attach(machine, tmux)
            client.expect(lambda screen: screen.split("\n")[2] == "    in the middle")
            asked = ("alternate_on", "cursor_flag", "mouse_button_flag", "keypad_cursor_flag", "keypad_flag", "pane_title")
            self.assertEqual([client.ask(name) for name in asked], ["1", "0", "1", "1", "1", "its title"])
            self.assertIn("\x1b[1m\x1b[44min the middle", client.styled())
            client.send("C-]", "d")
            client.expect("STATUS-0")
            self.assertEqual([client.ask(name) for name in asked[:5]], ["0", "1", "0", "0", "0"])
            self.assertNotEqual(client.ask("pane_title"), "its title")
            client.expect("detached; 'agentctl attach s' comes back")

    def test_what_was_on_the_screen_can_be_scrolled_back_to(self):
        with self.terminals() as (machine, tmux):
            self.start(machine, tmux, "sh", "-c", "echo READY; exec cat").expect("READY")
            client = tmux.open(["sh", "-c", f"echo old text; exec {machine.agentctl} attach s"], machine.project)
            client.expect("READY")
            self.assertIn("old text", client.history())

    def test_the_size_is_that_of_the_window_where_is_typed(self):
        with self.terminals() as (machine, tmux):
            first = self.start(machine, tmux, "bash", "-c", SHOW_SIZE, rows=24, columns=80)
            first.expect("size 24 80")
            watcher = self.attach(machine, tmux, "--read-only", rows=10, columns=30)
            watcher.expect("watching s")
            watcher.resize(11, 31)
            writer = self.attach(machine, tmux, "--take-over", rows=30, columns=100)
            first.expect("size 30 100")
            writer.resize(33, 101)
            writer.expect("size 33 101")
            writer.send("C-]", "d")
            first.expect(r"size 24 80\n(.*\n)*size 30 100\n(.*\n)*size 33 101\n(.*\n)*size 24 80")
            self.assertNotIn("size 11 31", first.history())


class Clients(AttachCase):
    def test_one_terminal_types_and_the_others_watch(self):
        with self.terminals() as (machine, tmux):
            first = self.start(machine, tmux, "sh", "-c", "echo READY; exec cat > typed")
            first.expect("READY")
            watcher = self.attach(machine, tmux)
            watcher.expect("watching s; .*--take-over")
            watcher.type("from the watcher")
            watcher.send("Enter")
            first.type("from the first")
            first.send("Enter")
            watcher.expect("^from the first$")
            taker = self.attach(machine, tmux, "--take-over")
            taker.expect(MESSAGE)
            first.expect("taken over by another terminal: keys go nowhere until it leaves")
            first.type("taken from the first")
            first.send("Enter")
            taker.type("from the taker")
            taker.send("Enter")
            first.expect("^from the taker$")
            taker.send("C-]", "d")
            first.expect("what is typed here goes to the session again")
            first.type("from the first again")
            first.send("Enter", "C-d")
            first.expect("STATUS-0")
            self.assertEqual((machine.project / "typed").read_text(), "from the first\nfrom the taker\nfrom the first again\n")

    def test_a_read_only_client_never_types(self):
        with self.terminals() as (machine, tmux):
            first = self.start(machine, tmux, "sh", "-c", "echo READY; exec cat > typed")
            first.expect("READY")
            watcher = self.attach(machine, tmux, "--read-only")
            watcher.expect("watching s; leave with")
            watcher.type("from the watcher")
            watcher.send("Enter", "C-c", "C-]", "d")
            watcher.expect("STATUS-0")
            first.send("C-d")
            first.expect("STATUS-0")
            self.assertEqual((machine.project / "typed").read_text(), "")

    def test_ctrl_c_and_ctrl_z_are_the_agents(self):
        script = "trap 'echo GOT-INT' INT; trap 'echo GOT-TSTP' TSTP; echo READY; while :; do sleep 1000 & wait $!; done"
        with self.terminals() as (machine, tmux):
            first = self.start(machine, tmux, "bash", "-c", script)
            first.expect("READY")
            client = self.attach(machine, tmux, "--take-over")
            client.expect(MESSAGE)
            client.send("C-c")
            client.expect("GOT-INT")
            client.send("C-z")
            client.expect("GOT-TSTP")

    def test_an_agent_that_stops_itself_goes_on_where_no_shell_could_continue_it(self):
        with self.terminals() as (machine, tmux):
            self.start(machine, tmux, "sh", "-c", "echo READY; exec cat").expect("READY")
            client = self.attach(machine, tmux, "--take-over")
            client.expect(MESSAGE)
            client.send("C-z")
            client.type("hello")
            client.send("Enter")
            client.expect(r"hello\n(.*\n)?hello")

    def test_ctrl_right_bracket_twice_is_one_for_the_agent(self):
        with self.terminals() as (machine, tmux):
            first = self.start(machine, tmux, "sh", "-c", "stty raw -echo; echo READY; head -c 3 > typed")
            first.expect("READY")
            client = self.attach(machine, tmux, "--take-over")
            client.expect(MESSAGE)
            client.send("C-]", "C-]", "C-]", "x")
            client.expect("STATUS-0")
            self.assertEqual((machine.project / "typed").read_bytes(), b"\x1d\x1dx")

    def test_the_end_of_the_session_is_told_with_its_status(self):
        with self.terminals() as (machine, tmux):
            self.start(machine, tmux, "sh", "-c", "echo READY; read line; exit 7").expect("READY")
            client = self.attach(machine, tmux, "--take-over")
            client.expect(MESSAGE)
            client.send("Enter")
            screen = client.expect("STATUS-7")
            self.assertRegex(screen, r"agentctl: s: exited with 7")

    def test_proc_02_after_sigkill_of_the_supervisor_the_client_ends_and_says_so(self):
        with self.terminals() as (machine, tmux):
            self.start(machine, tmux, "sh", "-c", "echo READY; exec sleep 1000").expect("READY")
            client = self.attach(machine, tmux)
            client.expect("watching s")
            os.kill(machine.status("s")["pids"]["supervisor"], signal.SIGKILL)
            self.assertIn("lost its supervisor", client.expect("STATUS-1"))


class Detached(AttachCase):
    def start(self, machine, *command):
        machine.environment["TERM"] = "xterm-256color"
        done = machine.run("start", "--detach", "-q", "--name", "s", "--", *command)
        self.assertEqual((done.returncode, done.stdout), (0, "s\n"), done.stderr)

    def test_tty_08_it_is_come_back_to_from_any_terminal_and_takes_its_size(self):
        with self.terminals() as (machine, tmux):
            (machine.project / "text").write_text("".join(f"line {number}\n" for number in range(1, 101)))
            self.start(machine, "less", "text")
            leader = machine.status("s")["pids"]["leader"]
            first = self.attach(machine, tmux, rows=12, columns=40)
            first.expect("^line 11$")
            first.type("50g")
            first.expect("^line 50$")
            self.kill_client(machine)
            first.type("\n")
            first.expect("STATUS-137")
            second = self.attach(machine, tmux, rows=12, columns=40)
            second.expect(r"^line 50$(.*\n)*line 60$")
            third = self.attach(machine, tmux, "--take-over", rows=20, columns=60)
            third.expect(r"^line 50$(.*\n)*line 68$")
            third.send("C-]", "d")
            second.expect(r"attached to s|^line 60$")
            second.type("q")
            second.expect("STATUS-0")
            self.assertTrue(leader)

    def test_questions_to_a_terminal_that_nobody_sits_at_are_answered(self):
        script = r"""stty raw -echo; printf 'ab\033[6n\033[c'; IFS= read -rs -d c answer; printf %s "$answer" > answer; echo > .ready"""
        with self.terminals() as (machine, _):
            os.mkfifo(machine.project / ".ready")
            self.start(machine, "bash", "-c", script)
            (machine.project / ".ready").read_bytes()
            self.assertEqual((machine.project / "answer").read_bytes(), b"\x1b[1;3R\x1b[?1;2")

    def test_the_first_that_comes_types_and_the_next_that_watches_follows_it(self):
        with self.terminals() as (machine, tmux):
            self.start(machine, "sh", "-c", "echo READY; exec cat")
            first = self.attach(machine, tmux)
            first.expect(MESSAGE)
            second = self.attach(machine, tmux)
            second.expect("watching s; .*--take-over")
            first.send("C-]", "d")
            second.expect(MESSAGE)
            second.type("typed")
            second.send("Enter")
            second.expect(r"typed\n(.*\n)?typed")


class Floods(AttachCase):
    def flood(self, machine, tmux, command, options=()):
        """A client that does not read, while an agent prints all of what command gives."""
        script = f"echo READY; read line; {command}; echo; echo THE-END; echo > .ready; exec sleep 1000"
        os.mkfifo(machine.project / ".ready")
        first = self.start(machine, tmux, "sh", "-c", script)
        first.expect("READY")
        client = self.attach(machine, tmux, *options)
        client.expect("watching s")
        pid = self.client_pid(machine)
        os.kill(pid, signal.SIGSTOP)
        first.send("Enter")
        (machine.project / ".ready").read_bytes()
        first.expect("THE-END")
        os.kill(pid, signal.SIGCONT)
        client.expect("THE-END")
        self.assertEqual(machine.status("s")["state"], "running")
        client.send("C-]", "d")
        client.expect("STATUS-0")
        return first

    def test_tty_05_a_client_that_does_not_read_holds_nobody_up_and_sees_the_end_of_100_megabytes(self):
        with self.terminals() as (machine, tmux):
            self.flood(machine, tmux, "yes 0123456789012345678901234567890123456789012345678 | head -c 100000000")

    def test_garbage_harms_neither_the_session_nor_a_client(self):
        with self.terminals() as (machine, tmux):
            self.flood(machine, tmux, "head -c 3000000 /dev/urandom; printf '\\033c'")

    def test_a_flood_with_nobody_there_goes_on_to_its_end(self):
        with self.terminals() as (machine, tmux):
            script = "yes | head -c 20000000; echo THE-END; echo > .ready; exec sleep 1000"
            os.mkfifo(machine.project / ".ready")
            done = machine.run("start", "--detach", "-q", "--name", "s", "--", "sh", "-c", script)
            self.assertEqual(done.returncode, 0, done.stderr)
            (machine.project / ".ready").read_bytes()
            self.attach(machine, tmux).expect("THE-END")


class Restored(AttachCase):
    def ends(self, end, status):
        with self.terminals() as (machine, tmux):
            self.start(machine, tmux, "sh", "-c", f"{DRESS_UP}; exec sleep 1000").expect("in the middle")
            with self.client(machine) as client:
                client.expect("in the middle")
                self.assertNotEqual(client.settings(), client.settings_before, "it was never raw: this would prove nothing")
                mark = client.mark()
                end(client)
                self.assertEqual(client.wait(), status)
                processes.wait_for_all_to_end(lambda: [pid for pid in machine.processes()
                                                       if processes.arguments(pid)[1:2] == ["attach"]], 5)
                self.assertEqual(client.settings(), client.settings_before)
                client.expect(lambda _: b"\x1b[?47l" in client.raw[mark:])
                for mode in (b"1002", b"1006", b"2004", b"1"):
                    self.assertIn(b"\x1b[?" + mode + b"l", client.raw[mark:])
                self.assertIn(b"\x1b[?25h", client.raw[mark:])
            self.assertEqual(machine.status("s")["state"], "running")

    def test_after_the_detach_keys(self):
        self.ends(lambda client: client.send(b"\x1dd"), 0)

    def test_after_the_detach_keys_of_a_keyboard_protocol(self):
        self.ends(lambda client: client.send(b"\x1b[93;5ud"), 0)

    def test_after_sigterm(self):
        self.ends(lambda client: client.process.terminate(), 0)

    def test_after_sighup(self):
        self.ends(lambda client: client.process.send_signal(signal.SIGHUP), 0)

    def test_after_sigkill(self):
        self.ends(lambda client: client.process.kill(), -signal.SIGKILL)


class Refused(AttachCase):
    def test_without_a_terminal(self):
        with self.terminals() as (machine, tmux):
            self.start(machine, tmux, "sh", "-c", "echo READY; exec sleep 1000").expect("READY")
            done = machine.run("attach", "s")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "^agentctl: attach needs a terminal as its standard input and output\nhint: ")

    def test_a_session_without_a_terminal(self):
        with Machine() as machine, machine.session(":"):
            with self.client(machine) as client:
                self.assertEqual(client.wait(), 1)
                client.expect("'s' has no terminal: it was started with pipes or files")

    def test_tty_08_a_session_that_is_over_tells_how_it_ended(self):
        with Machine() as machine:
            machine.start("exit 3", "--name", "s")
            done = machine.run("attach", "s")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^agentctl: it is over: s: exited with 3")

    def test_a_session_that_never_was(self):
        with Machine() as machine:
            done = machine.run("attach", "nobody")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^agentctl: session 'nobody' not found\n")

    def test_more_clients_than_sixteen(self):
        with self.terminals() as (machine, tmux), contextlib.ExitStack() as stack:
            self.start(machine, tmux, "sh", "-c", "echo READY; exec sleep 1000").expect("READY")
            for _ in range(16):
                stack.enter_context(self.client(machine)).expect("watching s")
            with self.client(machine) as client:
                self.assertEqual(client.wait(), 1)
                client.expect("16 terminals are attached already")
                self.assertEqual(client.settings(), client.settings_before)
                self.assertIsNone(re.search(rb"\x1b\[", client.raw))


if __name__ == "__main__":
    unittest.main(verbosity=2)
