# SPDX-License-Identifier: Apache-2.0
"""The walls around a session, each seen from outside or from the files that are there afterwards."""
import ctypes
import os
import pathlib
import subprocess
import unittest

import processes
from machine import Machine

SECRET = "token-that-no-agent-may-read"
KEY = "agentctl-test-key"


def tree(directory):
    """Every name below a directory with what makes it the same file: kind, size, mode, time of change."""
    found = {}
    for path, names, files in os.walk(directory):
        for name in names + files:
            status = os.lstat(os.path.join(path, name))
            found[os.path.join(path, name)] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def take_key():
    """Joins a new session keyring that holds a key which only its possessors may see: keyrings(7)."""
    libc = ctypes.CDLL(None, use_errno=True)
    add_key, keyctl, join, set_permissions, session_keyring = 248, 250, 1, 5, ctypes.c_long(-3)
    libc.syscall(keyctl, join, None)
    key = libc.syscall(add_key, b"user", KEY.encode(), b"x", ctypes.c_size_t(1), session_keyring)
    if key < 0 or libc.syscall(keyctl, set_permissions, key, 0x3F000000) < 0:
        raise OSError(ctypes.get_errno(), "cannot make a key")


def namespace_of(pid):
    try:
        return os.stat(f"/proc/{pid}/ns/pid").st_ino
    except OSError:
        return None


class Membership(unittest.TestCase):
    def test_every_process_is_in_the_scope_outside_and_at_the_root_inside(self):
        with Machine() as machine, machine.session("sleep 1000 & cat /proc/self/cgroup > cgroup; echo $$ > pid") as session:
            members = session.members()
            inside = [pid for pid in processes.every() if namespace_of(pid) == namespace_of(session.leader)]
            self.assertGreaterEqual(len(inside), 3)
            self.assertLessEqual(set(inside), set(members))
            scope = session.known["unit"]
            for pid in members:
                paths = processes.cgroup_paths(pid)
                for hierarchy in ("", "memory", "pids", "cpu"):
                    if hierarchy in paths:
                        self.assertTrue(paths[hierarchy].endswith("/" + scope), (pid, hierarchy, paths[hierarchy]))
            lines = (machine.project / "cgroup").read_text().split()
            self.assertIn("0::/", lines)
            self.assertEqual([line for line in lines if not line.endswith(":/")], [])

    def test_the_supervisor_stays_outside(self):
        with Machine() as machine, machine.session(":") as session:
            self.assertNotIn(session.supervisor.pid, session.members())


class Files(unittest.TestCase):
    def test_the_home_is_empty_and_what_is_written_there_never_arrives(self):
        with Machine() as machine:
            (machine.home / ".fake-creds").write_text(SECRET)
            (machine.home / "other").mkdir()
            (machine.home / "other/file").write_text(SECRET)
            done = machine.start("find ~ -path ~/project -prune -o -print; touch /etc/x; echo etc $?; echo y > ~/x && cat ~/x;"
                                 " cat ~/.fake-creds ~/other/file")
            names = [line for line in done.stdout.split() if line.startswith("/")]
            self.assertEqual([name for name in names if "creds" in name or "other" in name], [])
            self.assertIn("etc 1", done.stdout)
            self.assertIn("y", done.stdout.splitlines())
            self.assertNotIn(SECRET, done.stdout)
            self.assertFalse((machine.home / "x").exists())
            self.assertFalse(pathlib.Path("/etc/x").exists())

    def test_a_session_leaves_the_host_as_it_was(self):
        with Machine() as machine:
            (machine.project / "src").mkdir()
            (machine.project / "src/a.c").write_text("int a;\n")
            (machine.home / ".profile").write_text("x\n")
            machine.start(":")  # makes our own directories
            before = tree(machine.home)
            done = machine.start("cat src/a.c; touch ~/.profile ~/.bashrc /tmp/f; mkdir -p ~/.cache/x")
            self.assertEqual(done.stdout, "int a;\n")
            ours = str(machine.home / ".local/state/agentctl")  # the receipt and what is in the project's cache
            changed = {path for path, what in tree(machine.home).items() if before.get(path) != what}
            self.assertEqual({path for path in changed if not path.startswith(ours)}, set())
            self.assertLessEqual(set(before), set(tree(machine.home)))
            self.assertEqual(machine.records(), [])

    def test_only_the_project_is_written_through(self):
        with Machine() as machine:
            done = machine.start("echo made > made; ls -ln made | cut -d' ' -f3,4")
            self.assertEqual((machine.project / "made").read_text(), "made\n")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_root_and_dev_are_read_only_and_tmpfs_is_sized(self):
        with Machine() as machine, machine.session("dd if=/dev/zero of=/tmp/fill bs=1M 2>/dev/null & wait; df -k /tmp > df",
                                                   "--memory-max", "256M", "--hide", "./nothing") as session:
            mounts = {}
            for line in processes.read(session.leader, "mountinfo").splitlines():
                fields, _, rest = line.partition(" - ")
                mounts[fields.split()[4]] = (fields.split()[5].split(","), rest.split()[0], rest.split()[2].split(","))
            for point in ("/", "/usr", "/dev"):
                own, _, upper = mounts[point]
                self.assertTrue("ro" in own or "ro" in upper, (point, mounts[point]))
            ram = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            for point in ("/tmp", "/var/tmp", "/dev/shm", f"/run/user/{os.getuid()}"):
                status = os.statvfs(f"/proc/{session.leader}/root{point}")
                self.assertEqual(mounts[point][1], "tmpfs")
                self.assertLess(status.f_blocks * status.f_frsize, ram // 2, f"{point} is as large as the kernel's default")
            self.assertEqual(mounts[str(machine.project)][0][0], "rw")

    def test_nothing_can_be_made_in_the_root_or_in_dev(self):
        with Machine() as machine:
            paths = "/x /dev/x /usr/x /usr/bin/x"
            done = machine.start(f"for path in {paths}; do (: > $path) 2>/dev/null && echo $path; done; echo end")
            self.assertEqual(done.stdout.split(), ["end"])


class Processes(unittest.TestCase):
    def test_no_process_of_the_host_is_seen(self):
        with Machine() as machine:
            done = machine.start("ls /proc | grep -c '^[0-9]'; cat /proc/[0-9]*/comm")
            self.assertLess(int(done.stdout.split()[0]), 8)
            self.assertNotIn("agentctl", done.stdout.split()[1:])
            self.assertNotIn("systemd", done.stdout)

    def test_no_core_is_dumped(self):
        with Machine() as machine, machine.session(":") as session:
            for pid in session.members():
                if processes.arguments(pid)[:1] == [machine.agentctl]:
                    continue  # the anchor
                self.assertRegex(processes.read(pid, "limits"), r"Max core file size +0 +0 ", pid)

    def test_a_key_of_the_callers_session_is_not_the_agents(self):
        with Machine() as machine:
            show = f"grep -c {KEY} /proc/keys; :"
            seen = subprocess.run(["sh", "-c", show], preexec_fn=take_key, capture_output=True, text=True, check=True)
            self.assertEqual(seen.stdout.strip(), "1", "the caller cannot see its own key: this would prove nothing")
            self.assertEqual(machine.start(show, preexec_fn=take_key).stdout.strip(), "0")

    def test_no_user_namespace_can_be_made(self):
        with Machine() as machine:
            done = machine.start("unshare --user --map-root-user true; echo $?; unshare --mount true; echo $?")
            self.assertEqual(done.stdout.split(), ["1", "1"], done.stderr)

    def test_no_privilege_is_left(self):
        with Machine() as machine, machine.session(":") as session:
            status = dict(line.split(":\t") for line in processes.read(session.leader, "status").splitlines() if ":\t" in line)
            for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
                self.assertEqual(int(status[field], 16), 0, field)
            self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))

    def test_every_namespace_but_the_shared_network_is_its_own(self):
        with Machine() as machine, machine.session(":") as session:
            for name in ("user", "pid", "mnt", "ipc", "uts", "cgroup"):
                inside, ours = (os.readlink(f"/proc/{pid}/ns/{name}") for pid in (session.leader, "self"))
                self.assertNotEqual(inside, ours, name)
        with Machine() as machine, machine.session(":", "--net", "none") as session:
            self.assertNotEqual(os.readlink(f"/proc/{session.leader}/ns/net"), os.readlink("/proc/self/ns/net"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
