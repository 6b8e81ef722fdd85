# SPDX-License-Identifier: Apache-2.0
"""What reaches the agent, and what is left when its supervisor is killed."""
import os
import pathlib
import select
import signal
import unittest

from machine import Machine
from waiting import wait_for_end, wait_until_empty

# Leaves its session, leaves its parent, ignores what asks it to end.
STUBBORN = "for n in $(seq 40); do (trap '' TERM HUP INT; setsid sh -c \"trap '' TERM HUP INT; sleep 1000 & wait\" &); done"


def arguments_of(pid):
    return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1]


def ancestors_of(pid):
    while pid > 1:
        yield pid
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


class Launch(unittest.TestCase):
    def ready_session(self, machine, script, *options):
        """A session whose script has written to its pipe and waits."""
        pipe = machine.project / ".ready"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        session = machine.popen("start", "--name", "s", *options, "--", "sh", "-c", f"{script}; echo ready > .ready; sleep 1000")
        self.addCleanup(session.wait)
        self.addCleanup(session.kill)
        self.addCleanup(session.stdout.close)
        self.addCleanup(session.stderr.close)
        if not select.select([reader], [], [], 30)[0]:
            session.terminate()
            self.fail(session.communicate(timeout=30)[1])
        return session

    def test_nothing_of_the_callers_environment_arrives_unasked(self):
        with Machine() as machine:
            machine.environment["AWS_SECRET_ACCESS_KEY"] = "not for agents"
            # Landlock, where it closes the host's network, closes bwrap's environment, too.
            done = machine.start("env; tr '\\0' '\\n' < /proc/1/environ", "--net", "none")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("HOME=", done.stdout)
            self.assertNotIn("not for agents", done.stdout)

    def test_no_descriptor_of_the_caller_arrives(self):
        with Machine() as machine, open("/etc/hostname", encoding="ascii") as file:
            self.assertLess(file.fileno(), 100)
            script = "fd=0; while [ $fd -lt 100 ]; do [ ! -e /proc/$$/fd/$fd ] || echo $fd; fd=$((fd + 1)); done"
            done = machine.start(script, pass_fds=[file.fileno()])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.split(), ["0", "1", "2"])

    def test_bwrap_is_told_where_its_options_end(self):
        with Machine() as machine:
            session = self.ready_session(machine, ":")
            bwrap = [arguments_of(pid) for pid in ancestors_of(machine.status("s")["pids"]["leader"])]
            self.assertEqual(machine.run("stop", "--kill", "s").returncode, 0)
            session.communicate(timeout=30)
            lines = [arguments for arguments in bwrap if arguments[0] == "bwrap"]
            self.assertTrue(lines)
            for arguments in lines:
                self.assertEqual((arguments[1], arguments[3]), ("--args", "--"))

    def test_sigkill_of_the_supervisor_leaves_no_process(self):
        with Machine() as machine:
            session = self.ready_session(machine, STUBBORN)
            status = machine.status("s")
            pids = [int(pid) for pid in pathlib.Path(status["cgroup"]["path"], "cgroup.procs").read_text().split()]
            self.assertGreater(len(pids), 40)
            session.send_signal(signal.SIGKILL)
            wait_until_empty(status["cgroup"]["path"], seconds=1)
            for pid in pids:
                wait_for_end(pid, seconds=1)
            session.communicate(timeout=30)
            self.assertEqual(machine.sessions(), [])

    def test_a_command_that_is_not_there_is_127_and_one_that_cannot_run_126(self):
        with Machine() as machine:
            self.assertEqual(machine.run("start", "--", "no-such-command").returncode, 127)
            (machine.project / "text").write_text("not a program")
            self.assertEqual(machine.run("start", "--", "./text").returncode, 126)


if __name__ == "__main__":
    unittest.main(verbosity=2)
