# SPDX-License-Identifier: Apache-2.0
"""[[autostart]] with real logins: what the login-session service starts is there without a terminal, and gone after logout."""
import os
import pathlib
import shutil
import signal

import machine
import waiting
from login import LoginCase
from payloads import POLITE
from session import PROJECT, all_sessions, cgroup_of

SERVICE = "agentctl.service"
WANTS = pathlib.Path("/etc/systemd/user/default.target.wants")
CONFIG = machine.HOME / ".config/agentctl"
MARKER = PROJECT / "ready"


class Autostart(LoginCase):
    def setUp(self):
        super().setUp()
        code = POLITE.replace("print('ready', flush=True)", "import os; open('ready', 'w').write(str(os.umask(0)))")
        (PROJECT / "payload.py").write_text(code)
        (CONFIG / "profiles").mkdir(parents=True)
        (CONFIG / "profiles/polite.toml").write_text('[agent]\ncommand = ["python3", "-S", "payload.py"]\n')
        (CONFIG / "policy.toml").write_text('[[autostart]]\nproject = "~/project"\nprofile = "polite"\n')
        self.addCleanup(shutil.rmtree, CONFIG)
        WANTS.mkdir(exist_ok=True)
        (WANTS / SERVICE).symlink_to(pathlib.Path("/etc/systemd/user") / SERVICE)

    def tearDown(self):
        (WANTS / SERVICE).unlink()
        machine.wait_for_user_manager()
        machine.user_systemctl("stop", SERVICE)
        self.agentctl("stop", "--all")
        super().tearDown()

    def session(self):
        """Waits until the agent itself has come to where it waits."""
        waiting.wait_for_file(str(MARKER), 120)
        return all_sessions()[0]

    def service_pid(self):
        return int(machine.user_systemctl("show", "--value", "--property=MainPID", SERVICE))

    def wait_for_manager_and_service(self):
        machine.wait_for_user_manager()
        self.assertEqual("active", machine.user_systemctl("is-active", SERVICE).strip())

    def test_login_and_logout(self):
        """a login without a terminal or a display: the session is there; after the logout nothing is left"""
        before = machine.user_manager_pid()
        self.without_linger()
        self.wait_until_manager_ended(before)
        self.log_in("sleep", "infinity")
        status = self.session()
        manager = machine.user_manager_pid()
        self.assertEqual(({"kind": "manager", "pid": manager}, "polite"), (status["parent"], status["profile"]))
        self.assertEqual(machine.USER_CGROUP / "app.slice/app-agentctl.slice", cgroup_of(status).parent)
        self.assertEqual(0o022, int(MARKER.read_text()), "the file mask is the user's and not the service's")
        machine.must("loginctl", "terminate-user", "dev")
        waiting.wait_until_empty(cgroup_of(status), 60)
        self.wait_until_manager_ended(manager)
        self.assertTrue((PROJECT / "asked-to-end").exists())
        self.assertEqual([], self.processes_of_dev())

    def test_lingering(self):
        """for a user who lingers it starts with the manager, as at boot, and once: no restart of the service starts it again"""
        machine.restart_user_manager()
        status = self.session()
        self.wait_for_manager_and_service()
        machine.user_systemctl("restart", SERVICE)
        self.assertEqual([status["id"]], [session["id"] for session in all_sessions()])
        self.assertEqual(0, self.agentctl("stop", status["id"]).returncode)
        service = self.service_pid()
        os.kill(service, signal.SIGKILL)
        waiting.wait_for_end(service)
        machine.user_systemctl("start", SERVICE)
        machine.user_systemctl("daemon-reexec")
        machine.wait_for_user_manager()
        machine.user_systemctl("restart", SERVICE)
        self.assertNotEqual(service, self.service_pid())
        self.assertEqual([], all_sessions())

    def test_next_manager(self):
        """the manager is killed, and what it had started with it: the next one starts it again"""
        machine.restart_user_manager()
        first = self.session()
        manager = machine.user_manager_pid()
        os.kill(manager, signal.SIGKILL)
        waiting.wait_until_empty(cgroup_of(first), 60)
        waiting.wait_for_end(manager)
        MARKER.unlink()
        machine.wait_for_user_manager()
        second = self.session()
        self.assertNotEqual(first["id"], second["id"])
