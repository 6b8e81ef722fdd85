# SPDX-License-Identifier: Apache-2.0
"""Logins over a real ssh: `agentctl -H`, run by root, starts sessions of dev's, and connections are lost."""
import os
import pathlib
import signal
import subprocess

import machine
import waiting
from login import LOGIN_UNIT, LoginCase
from payloads import POLITE
from session import AGENTCTL, PROJECT, all_sessions, cgroup_of

HOST = "dev@localhost"
MARKER = PROJECT / "ready"
ROOT = {"env": {"HOME": "/root", "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8"}, "cwd": "/"}
SSH = pathlib.Path("/root/.ssh")


class Ssh(LoginCase):
    @classmethod
    def setUpClass(cls):
        """sshd runs, and root may log in as dev."""
        SSH.mkdir(mode=0o700, exist_ok=True)
        machine.must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", SSH / "id_ed25519")
        host_key = pathlib.Path("/etc/ssh/ssh_host_ed25519_key.pub").read_text()
        (SSH / "known_hosts").write_text(f"localhost {host_key}")
        dev = machine.HOME / ".ssh"
        dev.mkdir(mode=0o700, exist_ok=True)
        (dev / "authorized_keys").write_text((SSH / "id_ed25519.pub").read_text())
        for path in (dev, dev / "authorized_keys"):
            os.chown(path, machine.DEV.pw_uid, machine.DEV.pw_gid)
        machine.must("systemctl", "start", "ssh.service")

    def setUp(self):
        super().setUp()
        code = POLITE.replace("print('ready', flush=True)", "open('ready', 'w').write('ready')")
        (PROJECT / "payload.py").write_text(code)

    def remote(self, *arguments):
        return machine.run(AGENTCTL, "-H", HOST, *arguments, **ROOT)

    def start_words(self, *options):
        return [AGENTCTL, "-H", HOST, "start", "-q", "--name", "guest", "-C", str(PROJECT), *options, "--", "python3", "-S",
                "payload.py"]

    def connect(self, **streams):
        """A start over a connection of its own; gives our agentctl, and its session's status."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams}
        process = subprocess.Popen(self.start_words(), start_new_session=True, **pipes, **ROOT)
        self.addCleanup(process.wait)
        waiting.wait_for_file(str(MARKER), 60)
        return process, all_sessions()[0]

    def assert_ended(self, status):
        waiting.wait_until_empty(cgroup_of(status), 60)
        waiting.wait_for_end(status["pids"]["supervisor"], 60)
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def drop(self, process):
        """The connection is lost: ssh is killed, which can say nothing more to the other side."""
        ssh = int(machine.must("pgrep", "--parent", process.pid, "--exact", "ssh"))
        os.kill(ssh, signal.SIGKILL)
        self.assertEqual(125, process.wait(60))

    def test_login(self):
        """a session started over ssh has its supervisor in that login's own scope, and stop over ssh ends it"""
        process, status = self.connect()
        supervisor = machine.read(f"/proc/{status['pids']['supervisor']}/cgroup")
        self.assertRegex(supervisor, r"/user-1000\.slice/session-[0-9c]+\.scope$")
        self.assertEqual(machine.USER_CGROUP / "app.slice/app-agentctl.slice", cgroup_of(status).parent)
        self.assertEqual(0, self.remote("stop", "guest").returncode)
        self.assertEqual(0, process.wait(60))  # as the agent ended, which was polite
        self.assert_ended(status)

    def test_dropped(self):
        """the connection is lost: the session ends with its parent, nothing is left, and the user lingers"""
        process, status = self.connect()
        self.drop(process)
        self.assert_ended(status)
        self.assertEqual("active", machine.run("systemctl", "is-active", machine.USER_MANAGER).stdout.strip())

    def test_dropped_terminal(self):
        """the connection of a session on a terminal is lost: the same"""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        process, status = self.connect(stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.assertTrue(status["tty"])
        self.drop(process)
        self.assert_ended(status)

    def test_detached(self):
        """a detached session goes on after the connection, and is stopped over another"""
        done = machine.run(*self.start_words("--detach"), **ROOT)
        self.assertEqual((0, "guest\n"), (done.returncode, done.stdout), done.stderr)
        waiting.wait_for_file(str(MARKER), 60)
        status = all_sessions()[0]
        self.assertEqual("running", status["state"])
        self.assertEqual(0, self.remote("stop", "guest").returncode)
        self.assert_ended(status)

    def test_detached_logout(self):
        """a detached session without lingering goes on while a login is left, and ends with the last"""
        self.log_in("sleep", "infinity")
        manager = machine.user_manager_pid()
        self.without_linger()
        done = machine.run(*self.start_words("--detach"), **ROOT)
        self.assertEqual((0, "guest\n"), (done.returncode, done.stdout), done.stderr)
        waiting.wait_for_file(str(MARKER), 60)
        status = all_sessions()[0]
        self.assertEqual("running", status["state"])
        machine.must("systemctl", "stop", LOGIN_UNIT)
        self.assert_ended(status)
        self.wait_until_manager_ended(manager)
        self.assertEqual([], self.processes_of_dev())
