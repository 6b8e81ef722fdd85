# SPDX-License-Identifier: Apache-2.0
"""Real logins by PAM and logind: a session of ours starts in one, and ends with the user's last."""
import json
import subprocess

import machine
import waiting
from login import LOGIN_UNIT, LoginCase
from payloads import POLITE, python
from session import AGENTCTL, PROJECT, all_sessions, cgroup_of

MARKER = PROJECT / "ready"


def ready_payload(code):
    return python(code.replace("print('ready', flush=True)", "open('ready', 'w').write('ready')"))


class Login(LoginCase):
    def start_in_login(self):
        """The login's shell starts a session of ours, and stays its parent."""
        start = " ".join([AGENTCTL, "start", "--name", "guest", "--", "python3", "-S", "payload.py"])
        (PROJECT / "payload.py").write_text(ready_payload(POLITE)[-1])
        self.log_in("bash", "-c", f"{start}; true")
        waiting.wait_for_file(str(MARKER), 60)
        return all_sessions()[0]

    def test_start_in_login(self):
        """from a login session's own scope the agent is moved into the user manager's, with its limits"""
        status = self.start_in_login()
        supervisor = machine.read(f"/proc/{status['pids']['supervisor']}/cgroup")
        self.assertRegex(supervisor, r"/session-[0-9c]+\.scope$")
        self.assertEqual(machine.USER_CGROUP / "app.slice/app-agentctl.slice", cgroup_of(status).parent)
        for key in ("memory-max", "tasks-max", "cpu-quota", "swap-max"):
            self.assertEqual(status["limits"]["asked"][key], status["limits"]["effective"][key], key)
        self.assertEqual(0, self.agentctl("stop", "guest").returncode)
        waiting.wait_for_end(status["pids"]["supervisor"])

    def test_exec_in_login(self):
        """from a login session one more program comes into the user manager's scope, through one of its own"""
        status = self.start_in_login()
        look = "cat /proc/self/cgroup > where; cat /proc/self/status > walls"
        machine.must("systemd-run", "--quiet", "--collect", "--wait", "--unit=guest-exec.service",
                     "--property=PAMName=login", "--property=User=dev", f"--property=WorkingDirectory={PROJECT}",
                     "--property=TTYPath=/dev/null", AGENTCTL, "exec", "guest", "--", "sh", "-c", look)
        self.assertEqual((PROJECT / "where").read_text(), "0::/\n")  # the namespace's root is the scope
        self.assertRegex((PROJECT / "walls").read_text(), r"Seccomp_filters:\t2\n")
        self.assertEqual(0, self.agentctl("stop", "guest").returncode)
        waiting.wait_for_end(status["pids"]["supervisor"])
        self.assertEqual("", machine.user_systemctl("list-units", "--no-legend", "agentctl-exec-*"))

    def test_logout(self):
        """logout of the last login, without lingering: every process of the user is gone, and the agent was asked first"""
        status = self.start_in_login()
        manager = machine.user_manager_pid()
        self.without_linger()
        machine.must("loginctl", "terminate-user", "dev")
        waiting.wait_until_empty(cgroup_of(status), 60)
        waiting.wait_for_end(status["pids"]["supervisor"], 60)
        self.wait_until_manager_ended(manager)
        self.assertEqual([], self.processes_of_dev())
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def test_login_shell_ends(self):
        """the login's shell ends: the session in it ends with its parent, while the user lingers"""
        status = self.start_in_login()
        machine.must("systemctl", "kill", "--kill-whom=main", "--signal=KILL", LOGIN_UNIT)
        waiting.wait_until_empty(cgroup_of(status), 60)
        waiting.wait_for_end(status["pids"]["supervisor"], 60)
        self.assertEqual("active", machine.run("systemctl", "is-active", machine.USER_MANAGER).stdout.strip())

    def test_manager_stopped(self):
        """the user manager is stopped under a running session: nothing is left, and start ends by itself"""
        session = self.start(*python(POLITE)).expect("ready")
        status = session.status()
        self.addCleanup(machine.wait_for_user_manager)
        machine.must("systemctl", "stop", machine.USER_MANAGER)
        session.finish()
        self.assertFalse(cgroup_of(status).exists())
        self.assertTrue((PROJECT / "asked-to-end").exists())
        self.assertEqual([], machine.processes_of_ours())

    def test_another_login(self):
        """a session started in one login shows in, and is stopped from, another context of the same user"""
        status = self.start_in_login()
        listed = self.agentctl("status", "--json")
        self.assertEqual([status["id"]], [entry["id"] for entry in json.loads(listed.stdout)])
        self.assertEqual(0, self.agentctl("stop", status["id"]).returncode)
        waiting.wait_for_end(status["pids"]["supervisor"])

    def test_another_user(self):
        """another user sees nothing of a session, and cannot stop it"""
        status = self.start_in_login()
        nobody = {"user": "nobody", "group": "nogroup", "extra_groups": [],
                  "env": {"HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(machine.RUNTIME)}}
        listed = subprocess.run([AGENTCTL, "status", "--json"], capture_output=True, text=True, cwd="/", check=False, **nobody)
        self.assertNotIn(status["id"], listed.stdout + listed.stderr)
        stopped = subprocess.run([AGENTCTL, "stop", "guest"], capture_output=True, text=True, cwd="/", check=False, **nobody)
        self.assertNotEqual(0, stopped.returncode)
        self.assertEqual("running", all_sessions()[0]["state"])
        self.assertEqual(0, self.agentctl("stop", "guest").returncode)
        waiting.wait_for_end(status["pids"]["supervisor"])
