# SPDX-License-Identifier: Apache-2.0
"""exec: one more program in a running session, behind the same walls and limits as its first, and nothing more."""
import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import unittest

import landlock
import processes
from machine import Machine
from waiting import open_pidfd

WAITS = "echo ready > .ready; exec sleep 1000"
# What the kernel says of a process of the session: its walls, its namespaces, its descriptors, its limits of its own.
LOOK = """
grep -E '^(Cap|NoNewPrivs|Seccomp|Uid|Gid|Groups)' /proc/$1/status
for name in user pid mnt ipc uts net cgroup; do readlink /proc/$1/ns/$name; done
cat /proc/$1/limits /proc/$1/oom_score_adj
tr '\\0' '\\n' < /proc/$1/environ | grep -vE '^(_|PWD|SHLVL|OLDPWD)=' | sort
"""


class Exec(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def exec(self, *command, **options):
        return self.machine.run("exec", "s", "--", *command, **options)

    def refuse(self, words, status, message):
        done = self.machine.run(*words)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, message)

    def test_it_has_exactly_what_the_first_process_has(self):
        with self.machine.session(WAITS, "--net", "none", waits=True):  # see the next test
            first = self.exec("sh", "-c", f"pid=$(pgrep -x sleep); {LOOK.replace('$1', '$pid')}")
            own = self.exec("sh", "-c", LOOK.replace("$1", "$$"))
            self.assertEqual((first.returncode, own.returncode), (0, 0), first.stderr + own.stderr)
            self.assertEqual(own.stdout, first.stdout)
            self.assertIn("CapBnd:\t0000000000000000\n", own.stdout)
            self.assertIn("Seccomp_filters:\t2\n", own.stdout)

    def test_with_the_host_s_network_it_has_the_same_wall_around_abstract_sockets_and_can_end_the_first_process(self):
        call = "import socket; socket.socket(socket.AF_UNIX).connect('\\0' + 'agentctl-exec-test')"
        with socket.socket(socket.AF_UNIX) as server, self.machine.session(WAITS, "--net", "host", waits=True) as session:
            server.bind("\0agentctl-exec-test")
            server.listen()
            self.assertIn("PermissionError" if landlock.has_scopes() else "", self.exec("python3", "-c", call).stderr)
            self.assertEqual(self.exec("pkill", "-x", "sleep").returncode, 0)
            self.assertEqual(session.finish().returncode, 128 + signal.SIGTERM)

    def test_it_is_in_the_session_s_cgroup_and_counts_there(self):
        with self.machine.session(WAITS, waits=True) as session:
            before = set(processes.members(session.cgroup))
            process = self.machine.popen("exec", "s", "--", "sh", "-c", "echo in; exec sleep 1000",
                                         stdout=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "in\n")
            entered = set(processes.members(session.cgroup)) - before
            self.assertEqual(len(entered), 1)
            ends = [open_pidfd(pid) for pid in entered]
            process.kill()
            process.communicate(timeout=20)
            for pidfd in ends:
                self.assertTrue(select.select([pidfd], [], [], 10)[0], "it outlives agentctl")
                os.close(pidfd)

    def test_it_inherits_no_descriptor_but_the_three_streams(self):
        with self.machine.session(WAITS, waits=True), tempfile.TemporaryFile() as secret:
            os.set_inheritable(secret.fileno(), True)
            done = self.exec("sh", "-c", "ls /proc/self/fd", pass_fds=[secret.fileno()])
            self.assertEqual(done.stdout.split(), ["0", "1", "2", "3"])  # 3: what ls reads

    def test_streams_and_status_pass_as_of_any_command(self):
        with self.machine.session(WAITS, waits=True):
            done = self.exec("sh", "-c", "cat; echo wrong >&2; exit 7", input="typed\n")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "typed\n", "wrong\n"))
            self.assertEqual(self.exec("sh", "-c", "kill -KILL $$").returncode, 128 + signal.SIGKILL)

    def test_it_works_in_the_project_and_sees_no_more_than_the_session(self):
        hidden = self.machine.project / "key.txt"
        hidden.write_text("secret")
        with self.machine.session(WAITS, "--hide", "./key.txt", waits=True):
            done = self.exec("sh", "-c", "pwd; wc -c < key.txt; ls -d /home/* /root/* 2>/dev/null | grep -c ssh")
            self.assertEqual(done.stdout.split()[:2], [str(self.machine.project), "0"])

    def test_a_signal_to_agentctl_ends_the_program_and_not_the_session(self):
        with self.machine.session(WAITS, waits=True) as session:
            process = self.machine.popen("exec", "s", "--", "sh", "-c", "trap 'echo asked; exit 3' TERM; echo in; "
                                         "while :; do sleep 1000 & wait $!; done", stdout=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "in\n")
            process.terminate()
            self.assertEqual((process.communicate(timeout=20)[0], process.returncode), ("asked\n", 3))
            self.assertEqual(session.status()["state"], "running")

    def test_the_session_s_end_ends_it_too(self):
        with self.machine.session(WAITS, waits=True):
            process = self.machine.popen("exec", "s", "--", "sh", "-c", "trap '' TERM; echo in; exec sleep 1000",
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "in\n")
            self.assertEqual(self.machine.run("stop", "s", "--kill").returncode, 0)
            output, errors = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 128 + signal.SIGKILL)
            self.assertRegex(errors, "session 's' has ended")

    def test_programs_that_are_not_there_are_told_as_a_shell_does(self):
        with self.machine.session(WAITS, waits=True):
            (self.machine.project / "text").write_text("none")
            self.refuse(["exec", "s", "nosuch"], 127, "cannot execute 'nosuch' in the session: No such file")
            self.refuse(["exec", "s", "./text"], 126, "cannot execute './text' in the session: Permission denied")
            self.refuse(["exec", "s"], 2, "exec needs a COMMAND")
            self.refuse(["exec", "other", "true"], 1, "session 'other' not found")

    def test_a_paused_session_takes_nothing_in(self):
        with self.machine.session(WAITS, waits=True):
            self.assertEqual(self.machine.run("pause", "s").returncode, 0)
            self.refuse(["exec", "s", "true"], 1, "session 's' is paused\nhint: agentctl resume s")
            self.assertEqual(self.machine.run("resume", "s").returncode, 0)

    def test_the_tasks_limit_holds_for_it(self):
        with self.machine.session(WAITS, "--tasks-max", "20", waits=True):
            done = self.exec("sh", "-c", "for i in $(seq 40); do sleep 5 & done; echo through")
            self.assertRegex(done.stderr, re.compile("fork", re.IGNORECASE))


if __name__ == "__main__":
    unittest.main()
