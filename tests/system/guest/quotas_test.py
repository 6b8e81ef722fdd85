# SPDX-License-Identifier: Apache-2.0
"""What the kernel counts for each user, used up: keyrings and what watches directories."""
import pathlib

import machine
import waiting
from session import PROJECT, SessionCase, cgroup_of

SYSCTL = pathlib.Path("/proc/sys")
KEYCTL = 250  # asm/unistd_64.h


class Quotas(SessionCase):
    def limit(self, name, value):
        """For the length of the test."""
        path = SYSCTL / name
        before = path.read_text()
        self.addCleanup(path.write_text, before)
        path.write_text(str(value))

    def keys_of_dev(self):
        """What /proc/key-users says: keys, and of them those that count."""
        for line in pathlib.Path("/proc/key-users").read_text().splitlines():
            user, _, rest = line.strip().partition(":")
            if int(user) == machine.DEV.pw_uid:
                return int(rest.split()[2].split("/")[0])
        return 0

    def hidden_file(self):
        secret = PROJECT / "secret"
        secret.write_text("old\n")
        machine.must("chown", "dev:dev", secret)
        return secret

    def test_keys(self):
        """no key is left for a session keyring: told, and keyctl is closed to the agent by the filter all the same"""
        self.limit("kernel/keys/maxkeys", self.keys_of_dev())
        session = self.start("python3", "-S", "-c", "import ctypes; print(ctypes.CDLL(None).syscall(%d, 1, None))" % KEYCTL)
        session.expect("-1")
        returned, errors = session.finish()
        self.assertEqual(0, returned)
        self.assertIn("cannot make a new session keyring: Disk quota exceeded", errors)

    def test_inotify(self):
        """no inotify instance is left: a hidden file that the host replaces is hidden again all the same"""
        secret = self.hidden_file()
        self.limit("fs/inotify/max_user_instances", 0)
        session = self.start("sh", "-c", "echo ready; exec sleep infinity", options=("--hide", "./secret")).expect("ready")
        status = session.status()
        supervisor = f"/proc/{status['pids']['supervisor']}/fd"
        kinds = [path.readlink().name for path in pathlib.Path(supervisor).iterdir()]
        self.assertIn("anon_inode:[fanotify]", kinds)
        inside = pathlib.Path(f"/proc/{status['pids']['leader']}/root{secret}")
        self.assertEqual("", inside.read_text())
        (PROJECT / "new").write_text("new\n")
        (PROJECT / "new").rename(secret)
        until_told = f"/proc/{status['pids']['leader']}/mountinfo"
        with open(until_told, encoding="utf-8") as table:
            waiting.wait_until_true(table.fileno(), lambda: inside.read_text() == "", 10, "the new file hidden")
        self.assertEqual("new\n", secret.read_text())
        self.assertEqual(0, self.agentctl("stop", "--kill", "guest").returncode)
        session.finish()
        self.assertTrue(machine.is_empty(cgroup_of(status)))

    def test_neither(self):
        """nothing is left to watch with: refused, with the sysctl to raise"""
        self.hidden_file()
        self.limit("fs/inotify/max_user_instances", 0)
        self.limit("fs/fanotify/max_user_groups", 0)
        self.refused(status=125, words=["used up", "fs.inotify.max_user_instances"], options=("--hide", "./secret"))
