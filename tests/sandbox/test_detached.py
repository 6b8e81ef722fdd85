# SPDX-License-Identifier: Apache-2.0
"""Sessions that go on by themselves: what they are when they run, and what leaves them alone."""
import fcntl
import json
import os
import pathlib
import pty
import shutil
import signal
import stat
import struct
import subprocess
import termios
import unittest

import processes
from detached_session import WAIT, DetachedCase, DetachedSession, systemctl, unit_properties
from machine import Machine


class Started(DetachedCase):
    def test_the_name_is_printed_once_record_scope_limits_and_socket_are_there(self):
        with Machine() as machine, DetachedSession(machine, WAIT, "--memory-max", "64M") as session:
            self.assertEqual(session.started.stdout, "s\n")
            known = session.known
            self.assertEqual(known["state"], "running")
            self.assertEqual(known["limits"]["effective"]["memory-max"], 64 << 20)
            self.assertTrue(stat.S_ISSOCK(session.control_socket().stat().st_mode))
            self.assertTrue(known["tty"].startswith("/dev/pts/"))
            self.assertIn(session.leader, session.members())
            parent = known["parent"]
            self.assertEqual(parent["kind"], "manager")
            self.assertIn("--user", processes.arguments(parent["pid"]))
            self.assertEqual(processes.parent(session.supervisor), parent["pid"])

    def test_the_supervisor_is_a_service_beside_the_slice_of_the_agents(self):
        with Machine() as machine, DetachedSession(machine, WAIT) as session:
            service = unit_properties(session.service, "MainPID", "Slice", "BoundBy")
            self.assertEqual(service, {"MainPID": str(session.supervisor), "Slice": "app.slice", "BoundBy": session.scope})
            scope = unit_properties(session.scope, "Slice", "BindsTo")
            self.assertEqual(scope["Slice"], "app-agentctl.slice")
            self.assertIn(session.service, scope["BindsTo"].split())
            for path in processes.cgroup_paths(session.supervisor).values():
                self.assertNotIn("app-agentctl.slice", path)

    def test_json_is_what_status_says_of_it(self):
        with Machine() as machine, DetachedSession(machine, WAIT, "--json") as session:
            printed = json.loads(session.started.stdout)
            for key in ("name", "id", "state", "unit", "parent", "cgroup", "pids", "project"):
                self.assertEqual(printed[key], session.known[key], key)

    def test_directory_umask_and_variables_are_the_starters(self):
        script = ('umask > umask; pwd > pwd; printf %s "$GIVEN" > given; cat ../beside/text > read; '
                  f"echo ready > .ready; {WAIT}")
        with Machine() as machine:
            (machine.home / "beside").mkdir()
            (machine.home / "beside" / "text").write_text("beside\n")
            machine.environment["GIVEN"] = "a b\nc"
            ready = self.pipe(machine)
            options = ("--env", "GIVEN", "--ro", "../beside")
            with DetachedSession(machine, script, *options, umask=0o027) as session:
                self.assertEqual(self.hear(ready), "ready\n")
                self.assertEqual((machine.project / "umask").read_text(), "0027\n")
                self.assertEqual((machine.project / "pwd").read_text(), f"{machine.project}\n")
                self.assertEqual((machine.project / "given").read_text(), "a b\nc")
                self.assertEqual((machine.project / "read").read_text(), "beside\n")
                self.assertEqual(session.known["project"], str(machine.project))

    def test_the_window_is_the_starters_or_80_by_24(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 0, 0))
        for stdin, size in ((slave, "50 132\n"), (subprocess.DEVNULL, "24 80\n")):
            with self.subTest(size=size), Machine() as machine:
                ready = self.pipe(machine)
                with DetachedSession(machine, f"stty size > .ready; {WAIT}", stdin=stdin):
                    self.assertEqual(self.hear(ready), size)
        os.close(slave)

    def test_what_is_secret_in_the_environment_is_on_no_bus_and_in_no_process_table(self):
        with Machine() as machine:
            machine.environment["API_KEY"] = "very-secret-key"
            ready = self.pipe(machine)
            script = f'printf "%s\\n" "$API_KEY" > .ready; {WAIT}'
            with DetachedSession(machine, script, "--env", "API_KEY") as session:
                self.assertEqual(self.hear(ready), "very-secret-key\n")
                for unit in (session.service, session.scope):
                    shown = systemctl("show", "--all", unit)
                    self.assertIn(unit, shown)
                    self.assertNotIn("very-secret-key", shown)
                self.assertEqual(processes.arguments(session.supervisor)[1:], ["supervise"])
                self.assertNotIn("very-secret-key", processes.read(session.supervisor, "environ"))

    def test_a_start_that_takes_more_than_a_second_says_so_on_a_terminal(self):
        with Machine() as machine:
            records = machine.runtime / "agentctl"
            records.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(records, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)  # as another start that chooses its name
            master, slave = pty.openpty()
            self.addCleanup(os.close, master)
            starter = machine.popen("start", "-q", "--detach", "--name", "s", "--", "sleep", "1000", stderr=slave)
            os.close(slave)
            said = os.read(master, 200).decode()
            os.close(lock)
            output, _ = starter.communicate(timeout=30)
            self.assertEqual((starter.returncode, output, said), (0, "s\n", "agentctl: still starting …\r\n"))
            self.assertEqual(machine.run("stop", "--kill", "s").returncode, 0)

    def test_nothing_of_the_starters_stays_open_in_the_supervisor(self):
        with Machine() as machine:
            with DetachedSession(machine, WAIT) as session:
                links = [os.readlink(entry) for entry in pathlib.Path(f"/proc/{session.supervisor}/fd").iterdir()]
                self.assertEqual([link for link in links if link.startswith("pipe:")], [])
                self.assertEqual(os.readlink(f"/proc/{session.supervisor}/fd/0"), "/dev/null")


class Survives(DetachedCase):
    def test_sd_11_it_goes_on_when_the_starters_terminal_is_killed(self):
        with Machine() as machine:
            master, slave = pty.openpty()
            command = " ".join(machine.start_argv("-q", "--detach", "--name", "s", "--", "sleep", "1000"))
            terminal = {"stdin": slave, "stdout": slave, "stderr": slave, "start_new_session": True}
            shell = subprocess.Popen(["sh", "-c", f"{command}; exec sleep 1000"], env=machine.environment,
                                     cwd=machine.project, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **terminal)
            os.close(slave)
            self.assertEqual(os.read(master, 100), b"s\r\n")
            leader = machine.status("s")["pids"]["leader"]
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
            os.close(master)
            self.assertEqual(machine.status("s")["state"], "running")
            self.assertEqual(processes.arguments(leader), ["sleep", "1000"])
            self.assertEqual(machine.run("stop", "s").returncode, 0)

    def test_sd_14_reload_and_reexec_of_the_manager_leave_it_alone(self):
        with Machine() as machine, DetachedSession(machine, WAIT) as session:
            for verb in ("daemon-reload", "daemon-reexec"):
                systemctl(verb)
                self.assertEqual(unit_properties(session.service, "ActiveState")["ActiveState"], "active")
                self.assertEqual(session.machine.status("s")["state"], "running")
            self.assertEqual(machine.run("stop", "s").returncode, 0)
            self.assert_nothing_left(machine, session)

    def test_desk_04_an_upgrade_of_the_program_does_not_touch_it(self):
        with Machine() as machine:
            installed = machine.agentctl
            old = machine.root / "old"
            old.mkdir()
            for name in ("agentctl", "agentctl-stage"):
                shutil.copy(pathlib.Path(installed).with_name(name), old / name)
            machine.agentctl = str(old / "agentctl")
            with DetachedSession(machine, WAIT) as session:
                shutil.rmtree(old)
                machine.agentctl = installed
                self.assertEqual(machine.status("s")["state"], "running")
                self.assertEqual(machine.run("stop", "s").returncode, 0)
                self.assert_nothing_left(machine, session)


if __name__ == "__main__":
    unittest.main(verbosity=2)
