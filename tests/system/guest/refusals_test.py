# SPDX-License-Identifier: Apache-2.0
"""What start refuses: one clear line, the documented status, nothing left."""
import pathlib

import machine
from payloads import WAITING
from session import PROJECT, RECORDS, SessionCase

USER_NAMESPACES = pathlib.Path("/proc/sys/user/max_user_namespaces")


def beside_mounts(script):
    """Root's side: a mount namespace changed by `script`, in which dev then runs the command that follows."""
    uid, gid = machine.DEV.pw_uid, machine.DEV.pw_gid
    return ("unshare", "--mount", "--propagation", "private", "sh", "-ec",
            f'{script}\nexec setpriv --reuid={uid} --regid={gid} --clear-groups "$@"', "sh")


class Refusals(SessionCase):
    def refused_beside(self, script, **arguments):
        root_with_devs_environment = {"env": machine.environment(**arguments.pop("changes", {}))}
        root_with_devs_environment["env"]["PATH"] = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
        return self.refused(wrapper=beside_mounts(script), as_user=root_with_devs_environment, **arguments)

    def test_home(self):
        """the home directory is refused as a project"""
        self.refused(status=3, words=["home"], hint=False, cwd=machine.HOME)

    def test_root(self):
        """the root directory is refused as a project, before anything else is found wrong"""
        self.refused(status=3, words=["'/'", "project"], hint=False, cwd="/")

    def test_ancestor_of_home(self):
        """an ancestor of the home directory is refused as a project"""
        self.refused(status=3, words=["home"], hint=False, cwd="/home")

    def test_project_not_found(self):
        """a project that does not exist is refused by its name"""
        self.refused(status=2, words=["no-such-project"], hint=False, options=("--project", "/home/dev/no-such-project"))

    def test_no_command(self):
        """a command that is not found gives 127"""
        self.refused("no-such-agent", status=127, words=["no-such-agent"], hint=False)

    def test_zero_memory(self):
        """a memory limit of nothing is refused as bad policy"""
        self.refused(status=2, words=["memory-max"], hint=False, options=("--memory-max=0",))

    def test_no_bus(self):
        """no user manager within reach is refused with a remedy"""
        changes = {"XDG_RUNTIME_DIR": None, "DBUS_SESSION_BUS_ADDRESS": None}
        self.refused_beside("mount -t tmpfs -o mode=755 none /run/user", status=125, words=["manager"], changes=changes)

    def test_stale_bus(self):
        """a bus address that nobody answers is refused, though another manager might be found"""
        changes = {"XDG_RUNTIME_DIR": "/tmp", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/tmp/no-such-bus"}
        self.refused_beside("mount -t tmpfs -o mode=755 none /run/user", status=125, words=["manager"], changes=changes)

    def test_system_manager_as_user(self):
        """the system manager is not for an ordinary user"""
        self.refused(status=125, words=["system"], options=("--manager", "system"))

    def test_no_user_namespaces(self):
        """without user namespaces bwrap cannot work: refused with the reason"""
        before = USER_NAMESPACES.read_text()
        self.addCleanup(USER_NAMESPACES.write_text, before)
        USER_NAMESPACES.write_text("0")
        self.refused(status=125, words=["namespace"])

    def test_no_bwrap(self):
        """a missing bwrap is refused with the package to install"""
        self.refused_beside("mount --bind /dev/null /usr/bin/bwrap", status=125, words=["bwrap", "bubblewrap"])

    def test_full_runtime_directory(self):
        """a full runtime directory is refused before anything runs"""
        uid = machine.DEV.pw_uid
        script = (f"mkdir -p {RECORDS}; chown {uid} {RECORDS}; chmod 700 {RECORDS}\n"
                  f"mount -t tmpfs -o size=4k,nr_inodes=3,mode=700,uid={uid} none {RECORDS}\n"
                  f"dd if=/dev/zero of={RECORDS}/fill bs=4k count=1 status=none")
        self.refused_beside(script, status=125, words=[str(RECORDS)], hint=False)

    def test_read_only_runtime_directory(self):
        """a read-only runtime directory is refused before anything runs"""
        uid = machine.DEV.pw_uid
        script = (f"mkdir -p {RECORDS}; chown {uid} {RECORDS}; chmod 700 {RECORDS}\n"
                  f"mount --bind {RECORDS} {RECORDS}\nmount -o remount,bind,ro {RECORDS}")
        self.refused_beside(script, status=125, words=[str(RECORDS), "ead-only"], hint=False)

    def test_name_taken(self):
        """a name that a running session has is refused"""
        session = self.start(*WAITING).expect("ready")
        self.refused(status=2, words=["'guest'", "running already"])
        self.assertEqual(0, self.agentctl("stop", session.name).returncode)
        session.finish()

    def test_the_project_is_untouched(self):
        """a start that is refused leaves the project as it was"""
        (PROJECT / "kept").write_text("as it was")
        self.refused(status=2, words=["tasks-max"], hint=False, options=("--tasks-max=0",))
        self.assertEqual([PROJECT / "kept"], list(PROJECT.iterdir()))
