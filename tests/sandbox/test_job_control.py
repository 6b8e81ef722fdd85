# SPDX-License-Identifier: Apache-2.0
"""A session as a job of an interactive shell: Ctrl-Z, fg, bg, kill."""
import contextlib
import shlex
import unittest

import processes
from machine import Machine
from pty_driver import PtyDriver


class JobControl(unittest.TestCase):
    @contextlib.contextmanager
    def shell(self, machine):
        environment = dict(machine.environment, PS1="PROMPT$ ", HISTFILE="/dev/null", TERM="dumb")
        with PtyDriver(["bash", "--norc", "--noprofile", "-i"], environment, machine.project) as driver:
            driver.expect("PROMPT")
            yield driver
            for session in machine.sessions():
                machine.run("stop", "--kill", session["name"])
        machine.run("status")
        processes.wait_for_all_to_end(machine.processes, 5)

    def start(self, machine, driver, *command):
        driver.send(shlex.join(machine.start_argv("-q", "--name", "s", "--", *command)) + "\n")

    def test_ctrl_z_gives_the_shell_back_and_fg_the_agent(self):
        with Machine() as machine, self.shell(machine) as driver:
            self.start(machine, driver, "sh", "-c", "echo READY; exec cat")
            driver.expect(r"\nREADY")
            mark = driver.mark()
            driver.send(b"\x1a")
            driver.expect("Stopped", since=mark)
            driver.expect("PROMPT", since=mark)
            status = machine.status("s")
            self.assertEqual(processes.state(status["pids"]["leader"]), ["T"])
            self.assertIn("suspended with Ctrl-Z", " ".join(status["warnings"]))
            driver.send("echo from-the-$((40 + 2))-shell\n")
            driver.expect(r"from-the-42-shell\s+PROMPT")
            mark = driver.mark()
            driver.send("fg\n")
            driver.expect("agentctl", since=mark)
            driver.send("hello agent\n")
            driver.expect(r"hello agent\s+hello agent", since=mark)
            driver.send(b"\x04")
            driver.expect("PROMPT", since=mark)
            mark = driver.mark()
            driver.send("echo status-$?\n")
            driver.expect("status-0", since=mark)

    def test_an_agent_that_handles_ctrl_z_itself_is_not_suspended(self):
        with Machine() as machine, self.shell(machine) as driver:
            script = "trap 'echo GOT-TSTP' TSTP; echo READY; while :; do sleep 1000 & wait $!; done"
            self.start(machine, driver, "sh", "-c", script)
            driver.expect(r"\nREADY")
            for _ in range(2):
                mark = driver.mark()
                driver.send(b"\x1a")
                driver.expect("GOT-TSTP", since=mark)
            self.assertNotIn("Stopped", driver.text())
            self.assertEqual(machine.run("stop", "--kill", "s").returncode, 0)
            driver.expect("PROMPT", since=mark)

    def test_a_suspended_session_can_be_stopped(self):
        with Machine() as machine, self.shell(machine) as driver:
            self.start(machine, driver, "sh", "-c", "echo READY; exec cat")
            driver.expect(r"\nREADY")
            mark = driver.mark()
            driver.send(b"\x1a")
            driver.expect("Stopped", since=mark)
            pids = processes.members(machine.status("s")["cgroup"]["path"])
            done = machine.run("stop", "--kill", "s")
            self.assertEqual(done.returncode, 0, done.stderr)
            processes.wait_for_all_to_end(lambda: [pid for pid in pids if processes.arguments(pid)], 2)
            self.assertEqual(machine.sessions(), [])

    def test_the_shell_gets_a_sane_terminal_between(self):
        with Machine() as machine, self.shell(machine) as driver:
            self.start(machine, driver, "sh", "-c", "stty raw -echo; echo READY; kill -TSTP $$; echo AGAIN; read line")
            driver.expect("READY")
            driver.send("x")  # the look at the agent's state follows a key
            driver.expect("Stopped")
            driver.send("stty -a | grep -c ' echo '\n")
            driver.expect(r"\n1\s+PROMPT")
            mark = driver.mark()
            driver.send("fg\n")
            driver.expect("AGAIN", since=mark)
            driver.send("\n")
            driver.expect("PROMPT", since=mark)


if __name__ == "__main__":
    unittest.main(verbosity=2)
