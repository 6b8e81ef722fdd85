# SPDX-License-Identifier: Apache-2.0
"""Detached sessions and real logins: what they outlive, and what ends them."""
import json
import os
import pathlib
import signal

import machine
import waiting
from login import LOGIN_UNIT, LoginCase
from payloads import POLITE
from session import AGENTCTL, PROJECT, all_sessions, cgroup_of

MARKER = PROJECT / "ready"


class Detached(LoginCase):
    def write_payload(self):
        code = POLITE.replace("print('ready', flush=True)", "open('ready', 'w').write('ready')")
        (PROJECT / "payload.py").write_text(code)
        return [AGENTCTL, "start", "-q", "--detach", "--name", "guest", "--", "python3", "-S", "payload.py"]

    def detach(self):
        self.assertEqual("guest\n", machine.must(*self.write_payload(), **{**machine.as_dev(), "cwd": PROJECT}))
        waiting.wait_for_file(str(MARKER), 60)
        return all_sessions()[0]

    def detach_in_login(self):
        """The login goes on after the command, as a terminal or an ssh connection does."""
        self.log_in("bash", "-c", " ".join(self.write_payload()) + " >name; exec sleep infinity")
        waiting.wait_for_file(str(MARKER), 60)
        return all_sessions()[0]

    def assert_gone(self, status):
        waiting.wait_until_empty(cgroup_of(status), 60)
        waiting.wait_for_end(status["pids"]["supervisor"], 60)
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def stop(self, status):
        self.assertEqual(0, self.agentctl("stop", "guest").returncode)
        self.assert_gone(status)

    def test_ordinary_user(self):
        """an ordinary user's detached session: service and scope of the user's own manager, limits proven"""
        status = self.detach()
        service = machine.USER_CGROUP / f"app.slice/agentctl-session-{status['id']}.service"
        self.assertEqual([status["pids"]["supervisor"]], machine.members(service))
        self.assertEqual(machine.USER_CGROUP / "app.slice/app-agentctl.slice", cgroup_of(status).parent)
        self.assertEqual({"kind": "manager", "pid": machine.user_manager_pid()}, status["parent"])
        for key in ("memory-max", "tasks-max", "cpu-quota", "swap-max"):
            self.assertEqual(status["limits"]["asked"][key], status["limits"]["effective"][key], key)
        journal = machine.must("journalctl", "--boot", "--no-pager", f"_SYSTEMD_USER_UNIT={service.name}")
        self.stop(status)
        self.assertNotIn("python3", journal)
        machine.wait_until_removed(service)

    def test_terminal_killed(self):
        """the login from which it was started is killed, as by a connection that is lost: it goes on for a user who lingers"""
        status = self.detach_in_login()
        self.assertEqual("guest\n", (PROJECT / "name").read_text())
        machine.must("systemctl", "kill", "--kill-whom=all", "--signal=KILL", LOGIN_UNIT)
        machine.run("systemctl", "stop", LOGIN_UNIT)
        self.assertEqual("running", all_sessions()[0]["state"])
        self.assertEqual(status["pids"], all_sessions()[0]["pids"])
        self.stop(status)

    def test_logout(self):
        """logout of the last login without lingering: nothing is left, and the agent was asked first"""
        status = self.detach_in_login()
        manager = machine.user_manager_pid()
        self.without_linger()
        machine.must("loginctl", "terminate-user", "dev")
        self.assert_gone(status)
        self.wait_until_manager_ended(manager)
        self.assertEqual([], self.processes_of_dev())

    def test_logout_with_linger(self):
        """logout of the last login with lingering: the same agent runs on, and is stopped later"""
        status = self.detach_in_login()
        machine.must("systemctl", "stop", LOGIN_UNIT)
        after = all_sessions()[0]
        self.assertEqual((status["pids"], "running"), (after["pids"], after["state"]))
        self.stop(status)

    def test_reexec(self):
        """the user manager reloads and re-executes itself: service, scope and stop work as before"""
        status = self.detach()
        for verb in ("daemon-reload", "daemon-reexec"):
            machine.user_systemctl(verb)
            machine.wait_for_user_manager()
        after = all_sessions()[0]
        for key in ("id", "state", "cgroup", "unit", "limits", "pids"):
            self.assertEqual(status[key], after[key], key)
        os.kill(status["pids"]["supervisor"], signal.SIGKILL)
        waiting.wait_until_empty(cgroup_of(status), 10)
        machine.wait_until_removed(cgroup_of(status))

    def test_manager_killed(self):
        """SIGKILL of the user manager: nothing of the session is left"""
        status = self.detach()
        self.addCleanup(machine.wait_for_user_manager)
        os.kill(machine.user_manager_pid(), signal.SIGKILL)
        waiting.wait_until_empty(cgroup_of(status), 60)
        waiting.wait_for_end(status["pids"]["supervisor"], 60)

    def test_root(self):
        """root's detached session is a service of the system manager"""
        project = pathlib.Path("/srv/project")
        project.mkdir()
        self.addCleanup(project.rmdir)
        root = {"env": {"HOME": "/root", "PATH": "/usr/local/bin:/usr/bin:/bin"}, "cwd": project}
        command = [AGENTCTL, "start", "-q", "--detach", "--name", "guest", "--", "sleep", "infinity"]
        self.assertEqual("guest\n", machine.must(*command, **root))
        status = json.loads(machine.must(AGENTCTL, "status", "--json", "guest", **root))
        self.assertEqual(("system", {"kind": "manager", "pid": 1}), (status["manager"], status["parent"]))
        self.assertIn(f"/system.slice/agentctl-session-{status['id']}.service",
                      machine.read(f"/proc/{status['pids']['supervisor']}/cgroup"))
        machine.must("systemctl", "stop", f"agentctl-session-{status['id']}.service")
        waiting.wait_for_end(status["pids"]["supervisor"])
        self.assertTrue(not cgroup_of(status).exists() or machine.is_empty(cgroup_of(status)))
