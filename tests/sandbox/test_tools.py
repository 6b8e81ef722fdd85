# SPDX-License-Identifier: Apache-2.0
"""Tools that reach for more than a session has: containers, set-user-ID programs, watchers, terminals in a package of their own."""
import contextlib
import os
import socket
import subprocess
import sys
import unittest

from machine import Machine
from ordinary_user import UID, OrdinaryUser

SNAP = {"SNAP": "/snap/code/1", "SNAP_NAME": "code", "SNAP_USER_DATA": "/home/ada/snap/code/1", "LD_LIBRARY_PATH": "/snap/code/1/usr/lib",
        "LD_PRELOAD": "/snap/code/1/preload.so", "GTK_PATH": "/snap/code/1/gtk", "GIO_MODULE_DIR": "/snap/code/1/gio",
        "XDG_DATA_DIRS": "/snap/code/1/usr/share", "GDK_PIXBUF_MODULEDIR": "/snap/code/1/gdk", "FLATPAK_ID": "com.visualstudio.code",
        "container": "flatpak"}
INSTANCES = """
import ctypes, os, sys
os.setuid(int(sys.argv[1]))
libc = ctypes.CDLL(None)
while libc.inotify_init1(0) >= 0:
    pass
print("used up", flush=True)
sys.stdin.read()
"""


class Containers(unittest.TestCase):
    def test_tool_09_the_docker_that_the_environment_names_is_neither_named_nor_reached(self):
        with Machine() as machine, socket.socket(socket.AF_UNIX) as docker:
            place = machine.home / "docker.sock"
            docker.bind(str(place))
            docker.listen()
            docker.setblocking(False)
            machine.environment.update(DOCKER_HOST=f"unix://{place}", DOCKER_CONTEXT="mine", CONTAINER_HOST=f"unix://{place}")
            call = f"import socket; socket.socket(socket.AF_UNIX).connect('{place}')"
            done = machine.start(f'echo "${{DOCKER_HOST-none}} ${{CONTAINER_HOST-none}}"; python3 -c "{call}"', "-q")
            self.assertEqual(done.stdout, "none none\n")
            self.assertIn("FileNotFoundError", done.stderr)
            done = machine.start(f'echo "$DOCKER_HOST"; python3 -c "{call}"', "-q", "--env", "DOCKER_HOST")
            self.assertEqual(done.stdout, f"unix://{place}\n")
            self.assertIn("FileNotFoundError", done.stderr)
            with self.assertRaises(BlockingIOError):
                docker.accept()

    def test_tool_09_a_set_user_id_program_gains_nothing_and_fails_at_once(self):
        with OrdinaryUser() as machine:
            self.assertTrue(os.stat("/bin/su").st_mode & 0o4000, "su is not set-user-ID here")
            script = ("su -c id root </dev/null; echo $?; grep -c '^NoNewPrivs:.1' /proc/self/status; "
                      "newuidmap $$ 0 0 1 >/dev/null 2>&1; echo $?; cat /run/agentctl/README | grep -c set-uid")
            done = machine.start(script, "-q", seconds=10)
            words = done.stdout.split()
            self.assertNotIn("uid=0", done.stdout)
            self.assertNotEqual(words[0], "0", done.stderr)
            self.assertEqual(words[1], "1")
            self.assertNotEqual(words[2], "0")
            self.assertEqual(words[3], "1")


class Watchers(unittest.TestCase):
    @contextlib.contextmanager
    def used_up(self):
        process = subprocess.Popen([sys.executable, "-c", INSTANCES, str(UID)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.assertEqual(process.stdout.readline(), "used up\n")
            yield
        finally:
            process.communicate()

    def test_tool_10_without_inotify_instances_a_session_starts_and_hides_all_the_same(self):
        with OrdinaryUser() as machine:
            (machine.project / ".env").write_text("secret\n")
            machine.give_away()
            with self.used_up():
                done = machine.start("cat .env; touch ran", "-q", "--hide", ".env")
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                self.assertTrue((machine.project / "ran").exists())

    def test_tool_10_a_large_tree_costs_a_watch_for_each_directory_of_a_mask_and_no_more(self):
        with Machine() as machine:
            for at in range(300):
                (machine.project / f"src/{at}").mkdir(parents=True)
            (machine.project / "conf").mkdir()
            (machine.project / "conf/.env").write_text("secret\n")
            with machine.session("true", "-q", "--hide", "conf/.env") as session:
                pid = session.status()["pids"]["supervisor"]
                watches = 0
                for name in os.listdir(f"/proc/{pid}/fdinfo"):
                    with open(f"/proc/{pid}/fdinfo/{name}", encoding="utf-8") as info:
                        watches += sum(line.startswith("inotify ") for line in info)
                self.assertTrue(0 < watches < 10, watches)


class Terminals(unittest.TestCase):
    def test_tool_04_variables_of_a_snap_or_flatpak_terminal_do_not_arrive(self):
        with Machine() as machine:
            loader = {name for name in SNAP if name.startswith("LD_")}
            machine.environment.update({name: value for name, value in SNAP.items() if name not in loader})
            machine.environment["LD_LIBRARY_PATH"] = SNAP["LD_LIBRARY_PATH"]
            done = machine.run("start", "-q", "--", "env")
            self.assertNotIn("/snap/", done.stdout)
            self.assertEqual({line.split("=")[0] for line in done.stdout.splitlines()} & set(SNAP), set())


if __name__ == "__main__":
    unittest.main()
