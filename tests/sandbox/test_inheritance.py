# SPDX-License-Identifier: Apache-2.0
"""What a session inherits from its caller: three streams and the variables that the policy names, nothing else."""
import os
import pathlib
import signal
import unittest

import processes
from machine import Machine

SECRET = "secret-of-the-caller"
VARIABLES = {
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "GITHUB_TOKEN": SECRET + "\nwith a second line",
    "SSH_AUTH_SOCK": "/" + SECRET,
    "DOCKER_HOST": "unix:///" + SECRET,
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/" + SECRET,
    "LD_PRELOAD": "",
    "BASH_ENV": "/" + SECRET,
    "NODE_OPTIONS": "--require=/" + SECRET,
    "GIT_SSH_COMMAND": SECRET,
    "BASH_FUNC_f%%": "() { echo " + SECRET + "; }",
    "WITH_EQUALS": "a=" + SECRET,
    "LONG": SECRET + "x" * 100_000,
}


def descriptors(pid):
    try:
        return {int(fd): os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
    except OSError:
        return {}


class Environment(unittest.TestCase):
    def test_no_secret_of_the_caller_is_anywhere_in_the_session(self):
        with Machine() as machine:
            machine.environment.update(VARIABLES)
            with machine.session("cat /proc/[0-9]*/environ > environ; env > env") as session:
                for name in ("environ", "env"):
                    self.assertNotIn(SECRET, (machine.project / name).read_bytes().decode("utf-8", "replace"), name)
                anchor = {pid for pid in session.members() if processes.arguments(pid)[:1] == [machine.agentctl]}
                for pid in set(session.members()) - anchor:
                    self.assertNotIn(SECRET, processes.read(pid, "environ"), processes.arguments(pid))
                for pid in processes.every():
                    if pid != os.getpid():
                        self.assertNotIn(SECRET, processes.read(pid, "cmdline"), pid)

    def test_a_variable_that_is_passed_is_not_shown_to_every_user_of_the_machine(self):
        with Machine() as machine:
            machine.environment["API_KEY"] = SECRET
            with machine.session("echo $API_KEY > key", "--env", "API_KEY") as session:
                self.assertEqual((machine.project / "key").read_text(), SECRET + "\n")
                for pid in session.members() + [session.supervisor.pid]:
                    self.assertNotIn(SECRET, processes.read(pid, "cmdline"), processes.arguments(pid))

    def test_values_arrive_byte_for_byte(self):
        value = "a=b\n\t'\"\\ \udcff ü"
        with Machine() as machine:
            machine.environment["ODD"] = value
            machine.start("printf %s \"$ODD\" > odd", "--env", "ODD")
            self.assertEqual((machine.project / "odd").read_bytes(), os.fsencode(value))


class Descriptors(unittest.TestCase):
    def test_neither_a_file_nor_a_directory_of_the_caller_is_open_in_any_process(self):
        with Machine() as machine:
            secret = machine.home / "id_rsa"
            secret.write_text(SECRET)
            file, directory = os.open(secret, os.O_RDONLY), os.open(machine.home, os.O_RDONLY)
            self.addCleanup(os.close, file)
            self.addCleanup(os.close, directory)
            os.dup2(file, 9, inheritable=True)
            os.dup2(directory, 10, inheritable=True)
            self.addCleanup(os.close, 9)
            self.addCleanup(os.close, 10)
            script = "cat <&9 > leaked 2>/dev/null; cat /proc/$$/fd/10/id_rsa >> leaked 2>/dev/null; ls /proc/1/fd > first; :"
            with machine.session(script, pass_fds=(9, 10)) as session:
                self.assertEqual((machine.project / "leaked").read_text(), "")
                self.assertEqual(set(descriptors(session.leader)) - {0, 1, 2}, set())
                for pid in session.members():
                    for fd, target in descriptors(pid).items():
                        self.assertNotIn(target, (str(secret), str(machine.home)), (pid, fd, processes.arguments(pid)))

    def test_the_agent_holds_no_descriptor_of_the_callers_terminal_or_pipes(self):
        with Machine() as machine, machine.session(":") as session:
            ours = {os.readlink(f"/proc/{session.supervisor.pid}/fd/{fd}") for fd in (0, 1, 2)} - {"/dev/null"}
            for pid in session.members():
                self.assertEqual(ours & set(descriptors(pid).values()), set(), processes.arguments(pid))

    def test_the_working_directory_is_the_project_and_not_the_callers(self):
        with Machine() as machine:
            done = machine.run("start", "-C", str(machine.project), "--", "pwd", cwd="/")
            self.assertEqual(done.stdout.strip(), str(machine.project))


class Signals(unittest.TestCase):
    def test_a_caller_that_ignores_the_death_of_children_gets_the_agents_status_all_the_same(self):
        with Machine() as machine:
            done = machine.start("exit 3", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
            self.assertEqual(done.returncode, 3, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
