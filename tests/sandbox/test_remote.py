# SPDX-License-Identifier: Apache-2.0
"""-H: the same command on another machine, over a real ssh: what passes, what is told apart, and what ends with it."""
import contextlib
import json
import os
import signal
import subprocess
import unittest

import processes
from detached_session import DetachedSession
from machine import Machine
from sshd import Sshd
from tmux_driver import Tmux
from waiting import wait_for_end

WAITS = "echo > .ready; exec sleep 1000"


class RemoteCase(unittest.TestCase):
    @contextlib.contextmanager
    def there(self, path=None):
        with Machine() as machine:
            with Sshd(machine, path) as sshd:
                yield machine, sshd
                machine.run("status")

    def remote(self, machine, *arguments, host="there", **options):
        return machine.run("-H", host, *arguments, **options)

    def start(self, machine, *command, options=(), **popen):
        return self.remote(machine, "start", "-q", "-C", str(machine.project), *options, "--", *command, **popen)

    def popen_start(self, machine, script):
        os.mkfifo(machine.project / ".ready")
        process = machine.popen("-H", "there", "start", "-q", "--name", "s", "-C", str(machine.project), "--", "sh", "-c", script)
        (machine.project / ".ready").read_bytes()
        return process

    def ssh_of(self, process):
        [ssh] = [pid for pid in processes.every() if processes.parent(pid) == process.pid]
        self.assertEqual(processes.arguments(ssh)[0], "/usr/bin/ssh")
        return ssh

    def assert_ended(self, machine, known):
        wait_for_end(known["pids"]["supervisor"], 15)
        processes.wait_for_all_to_end(lambda: processes.members(known["cgroup"]["path"]), 15)
        self.assertEqual(machine.sessions(), [])


class Passes(RemoteCase):
    def test_output_errors_input_and_the_agents_exit_status(self):
        with self.there() as (machine, _):
            done = self.start(machine, "sh", "-c", "cat; echo err >&2; exit 7", input="in\n")
            self.assertEqual((done.returncode, done.stdout), (7, "in\n"))
            self.assertIn("err\n", done.stderr)

    def test_every_kind_of_exit_status(self):
        with self.there() as (machine, _):
            (machine.project / "data").write_text("no program\n")
            for status, command in ((0, ["true"]), (3, ["sh", "-c", "exit 3"]), (126, ["./data"]), (127, ["./nosuch"]),
                                    (130, ["sh", "-c", "kill -INT $$"]), (124, ["sleep", "1000"])):
                with self.subTest(status=status):
                    options = ("--runtime-max", "1s") if status == 124 else ()
                    self.assertEqual(self.start(machine, *command, options=options).returncode, status)
            self.assertEqual(self.remote(machine, "start", "--memory-max", "much", "true").returncode, 2)
            self.assertEqual(self.remote(machine, "stop", "nosuch").returncode, 1)

    def test_words_reach_the_agent_byte_by_byte(self):
        every = bytes(range(1, 256))
        words = [every, b"", b"-x", b"--", b"a 'b' \"c\" $HOME `id` \\ !", b"\n", "\u00e4\u2028".encode(), b"*"]
        with self.there() as (machine, _):
            done = self.start(machine, "printf", "%s\\0", *words, text=False)
            self.assertEqual(done.stdout.split(b"\0")[:-1], words)

    def test_json_is_as_it_was_printed_there(self):
        with self.there() as (machine, _):
            self.assertEqual(self.start(machine, "true", options=("--name", "old")).returncode, 0)
            here = machine.run("receipt", "--json", "old", text=False)
            there = self.remote(machine, "receipt", "--json", "old", text=False)
            self.assertEqual((there.returncode, there.stdout), (0, here.stdout))
            self.assertEqual(json.loads(here.stdout)["exit_status"], 0)

    def test_what_is_done_to_sessions_is_done_to_those_of_there(self):
        with self.there() as (machine, _):
            with DetachedSession(machine, WAITS.replace("echo > .ready; ", "")) as session:
                self.assertEqual([known["id"] for known in json.loads(self.remote(machine, "status", "--json").stdout)],
                                 [session.known["id"]])
                self.assertEqual(self.remote(machine, "pause", "s").returncode, 0)
                self.assertEqual(machine.status("s")["state"], "frozen")
                self.assertEqual(self.remote(machine, "resume", "s").returncode, 0)
                self.assertEqual(self.remote(machine, "set", "s", "tasks-max=99").returncode, 0)
                self.assertEqual(machine.status("s")["limits"]["effective"]["tasks-max"], 99)
                self.assertEqual(self.remote(machine, "cgroup", "s").stdout.strip(), session.cgroup)
                self.assertEqual(self.remote(machine, "exec", "s", "--", "sh", "-c", "echo a  b; exit 5").returncode, 5)
                self.assertEqual(self.remote(machine, "logs", "s").returncode, 0)
                self.assertEqual(self.remote(machine, "stop", "s").returncode, 0)
                session.wait_for_end()

    def test_a_detached_session_goes_on_after_the_connection(self):
        with self.there() as (machine, _):
            done = self.remote(machine, "start", "-q", "-d", "-n", "s", "-C", str(machine.project), "--", "sleep", "1000")
            self.assertEqual((done.returncode, done.stdout), (0, "s\n"), done.stderr)
            self.assertEqual(machine.status("s")["state"], "running")
            self.assertEqual(self.remote(machine, "stop", "s").returncode, 0)


class Terminals(RemoteCase):
    @contextlib.contextmanager
    def terminals(self):
        with self.there() as (machine, _):
            with Tmux(machine.root, machine.environment) as tmux:
                yield machine, tmux
                machine.run("stop", "--kill", "--all")
            processes.wait_for_all_to_end(lambda: [pid for pid in machine.processes() if "agentctl" in processes.read(pid, "comm")],
                                          10)

    def open(self, machine, tmux, *arguments, **size):
        return tmux.open([machine.agentctl, "-H", "there", *arguments], machine.project, **size)

    def test_the_agent_has_a_terminal_of_this_size_and_its_keys(self):
        script = "trap 'echo GOT-INT' INT; stty size; echo READY; while :; do sleep 1000 & wait $!; done"
        with self.terminals() as (machine, tmux):
            pane = self.open(machine, tmux, "start", "-n", "s", "-C", str(machine.project), "--", "bash", "-c", script,
                             rows=30, columns=100)
            pane.expect(r"^30 100$\n^READY$")
            pane.send("C-c")
            pane.expect("GOT-INT$")
            self.assertEqual(machine.run("stop", "--kill", "s").returncode, 0)
            pane.expect("STATUS-137")

    def test_attach_shows_the_screen_and_detaches(self):
        with self.terminals() as (machine, tmux):
            machine.environment["TERM"] = "xterm-256color"
            done = machine.run("start", "-q", "-d", "-n", "s", "--", "sh", "-c", "echo READY; exec cat")
            self.assertEqual(done.returncode, 0, done.stderr)
            pane = self.open(machine, tmux, "attach", "s")
            pane.expect("^READY$")
            before = pane.settings()
            pane.type("typed")
            pane.send("Enter")
            pane.expect(r"^typed$\n^typed$")
            pane.send("C-]", "d")
            pane.expect("STATUS-0")
            self.assertNotEqual(pane.settings(), before)  # no longer raw
            self.assertEqual(machine.status("s")["state"], "running")

    def test_after_sigkill_of_agentctl_here_the_terminal_is_as_it_was_and_the_session_has_ended(self):
        with self.terminals() as (machine, tmux):
            pane = self.open(machine, tmux, "start", "-n", "s", "-C", str(machine.project), "--", "sh", "-c",
                             "stty raw -echo; echo READY; exec sleep 1000")
            pane.expect("READY")
            known = machine.status("s")
            [client] = [pid for pid in machine.processes() if processes.arguments(pid)[1:3] == ["-H", "there"]]
            [ssh] = [pid for pid in processes.every() if processes.parent(pid) == client]
            os.kill(client, signal.SIGKILL)
            wait_for_end(ssh)
            pane.expect("STATUS-137")
            self.assertIn(" icanon", pane.settings())
            self.assert_ended(machine, known)


class Ends(RemoteCase):
    def test_killing_ssh_here_ends_the_session_there(self):
        with self.there() as (machine, _):
            process = self.popen_start(machine, WAITS)
            known = machine.status("s")
            os.kill(self.ssh_of(process), signal.SIGKILL)
            _, errors = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 125)
            self.assertIn("the connection to 'there' is lost: ssh was killed by signal 9", errors)
            self.assert_ended(machine, known)
            self.assertEqual([receipt["cause"] for receipt in machine.receipts()], ["parent-died"])

    def test_a_signal_to_agentctl_here_ends_both_and_is_its_status(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number.name), self.there() as (machine, _):
                process = self.popen_start(machine, WAITS)
                known = machine.status("s")
                ssh = self.ssh_of(process)
                process.send_signal(number)
                process.communicate(timeout=20)
                self.assertEqual(process.returncode, 128 + number)
                wait_for_end(ssh)
                self.assert_ended(machine, known)

    def test_what_follows_a_log_there_ends_with_ssh_here(self):
        with self.there() as (machine, _):
            with DetachedSession(machine, "echo one; exec sleep 1000"):
                process = machine.popen("-H", "there", "logs", "-f", "s")
                self.assertEqual(process.stdout.readline(), "one\n")
                os.kill(self.ssh_of(process), signal.SIGKILL)
                process.communicate(timeout=20)
                self.assertEqual(process.returncode, 1)
                processes.wait_for_all_to_end(
                    lambda: [pid for pid in machine.processes() if processes.arguments(pid)[1:2] == ["logs"]], 15)

    def test_a_connection_that_is_lost_is_told_apart_from_the_agents_end(self):
        with self.there() as (machine, sshd):
            process = self.popen_start(machine, WAITS)
            known = machine.status("s")
            [connection] = [pid for pid in processes.every() if processes.parent(pid) == sshd.process.pid]
            os.kill(connection, signal.SIGKILL)
            _, errors = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 125)
            self.assertIn("agentctl: the connection to 'there' failed or was lost", errors)
            self.assert_ended(machine, known)


class Refused(RemoteCase):
    def assert_told(self, done, status, text, hint):
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertIn(f"agentctl: {text}", done.stderr)
        self.assertIn(f"hint: {hint}", done.stderr)

    def test_a_closed_port_and_an_unknown_host_key_are_ssh_s_failures(self):
        with self.there() as (machine, _):
            for host, words in (("closed", "Connection refused"), ("stranger", "Host key verification failed")):
                for status, command in ((1, ["status"]), (125, ["start", "true"])):
                    with self.subTest(host=host, command=command[0]):
                        done = self.remote(machine, *command, host=host)
                        self.assertIn(words, done.stderr)
                        self.assert_told(done, status, f"the connection to '{host}' failed or was lost: ssh ended with 255",
                                         f"what ssh said is above; see if 'ssh {host}' works")

    def test_a_machine_without_agentctl_is_told_with_what_to_install(self):
        with self.there(path="/usr/bin:/bin") as (machine, _):
            for status, command in ((1, ["status"]), (125, ["start", "true"])):
                self.assert_told(self.remote(machine, *command), status, "agentctl not found on 'there'", "install it there")

    def test_no_ssh_here_is_told_with_the_package(self):
        with Machine() as machine:
            machine.environment["PATH"] = str(machine.home)
            for status, command in ((1, ["status"]), (125, ["start", "true"])):
                self.assert_told(self.remote(machine, *command), status, "cannot reach 'there': ssh not found",
                                 "install OpenSSH's client")

    def test_what_ssh_would_take_for_an_option_runs_nothing(self):
        with self.there() as (machine, _):
            for host in (f"-oProxyCommand=touch {machine.home}/ran", "-F/dev/null", "", f"root@-oProxyCommand=x{machine.home}"):
                self.assertEqual(self.remote(machine, "status", host=host).returncode, 2)
            self.assertFalse((machine.home / "ran").exists())

    def test_a_project_is_one_of_the_other_machine(self):
        with self.there() as (machine, _):
            (machine.project / "project-of-here").mkdir()  # below where we are, and not below the home of there
            done = self.remote(machine, "start", "-C", "project-of-here", "true")
            self.assertEqual(done.returncode, 2)
            self.assertIn("project-of-here", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
