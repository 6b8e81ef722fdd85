# SPDX-License-Identifier: Apache-2.0
"""The host replaces a protected file by one that the session has opened before: the session ends, the file stays."""
import os
import pathlib
import unittest

from machine import Machine
from mask_view import MaskView, replace
from ordinary_user import OrdinaryUser

OURS = "[core]\n\tbare = false\n"
EVIL = "[core]\n\tfsmonitor = evil\n"

# What a hostile agent keeps of config.lock before the host renames it. It writes as soon as it is told to.
KEEP = f"""
import array, ctypes, mmap, os, socket, sys, threading
libc = ctypes.CDLL(None)
LOCK = ".git/config.lock"
EVIL = {EVIL!r}.encode()
def wait_and(write):
    with open(".ready", "w") as ready:
        ready.write("ready\\n")
    with open("go"):
        write()
def rewrite(fd):
    os.pwrite(os.open(f"/proc/self/fd/{{fd}}", os.O_WRONLY), EVIL, 0)
def send(flags, listening=False):
    fd = os.open(LOCK, flags)
    if listening:
        server, client = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        server.bind("\\0kept"), server.listen(), client.connect("\\0kept")
        receive = lambda: server.accept()[0]
    else:
        client, server = socket.socketpair()
        receive = lambda: server
    client.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
    os.close(fd)
    def take():
        control = receive().recvmsg(1, socket.CMSG_SPACE(4))[1]
        rewrite(int.from_bytes(control[0][2][:4], sys.byteorder))
    wait_and(take)
def writer():
    fd = os.open(LOCK, os.O_WRONLY)
    wait_and(lambda: os.pwrite(fd, EVIL, 0))
def reader():
    fd = os.open(LOCK, os.O_RDONLY)
    wait_and(lambda: rewrite(fd))
def path():
    fd = os.open(LOCK, os.O_PATH)
    wait_and(lambda: rewrite(fd))
def mapping():
    fd = os.open(LOCK, os.O_RDWR)
    libc.mmap.restype = ctypes.c_void_p
    mapped = libc.mmap(None, 4096, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, fd, ctypes.c_long(0))
    os.close(fd)
    wait_and(lambda: ctypes.memmove(mapped, EVIL, 4))
def secretive():
    libc.prctl(4, 0)  # PR_SET_DUMPABLE
    path()
def thread():
    def own_table():
        libc.unshare(0x400)  # CLONE_FILES
        path()
    one = threading.Thread(target=own_table)
    one.start()
    one.join()
def in_flight():
    send(os.O_RDONLY)
def path_in_flight():
    send(os.O_PATH)
def unaccepted():
    send(os.O_RDONLY, listening=True)
def nothing():
    wait_and(lambda: None)
def old():
    fd = os.open(".git/config", os.O_RDONLY)
    wait_and(lambda: None)
globals()[sys.argv[1]]()
"""


def keeping(way):
    return f'python3 - {way} <<"END" &\n{KEEP}\nEND\nwait'


class KeptDescriptors(unittest.TestCase):
    machine_class = Machine

    def setUp(self):
        self.machine = self.machine_class()
        self.addCleanup(self.machine.__exit__)
        self.config = self.machine.project / ".git/config"
        self.lock = self.config.with_name("config.lock")
        self.config.parent.mkdir()
        self.config.write_text("[core]\n")
        self.make_lock()
        os.mkfifo(self.machine.project / "go")

    def make_lock(self):
        self.lock.write_text(OURS)
        self.give_to_user()

    def give_to_user(self):
        pass

    def session(self, way, *options):
        return self.machine.session(keeping(way), *options, waits=True)

    def assert_ended(self, session, why):
        done = session.finish()
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn(why, done.stderr)
        self.assertEqual(self.config.read_text(), OURS)
        self.assertEqual(self.machine.receipts()[0]["cause"], "mask-lost")

    def assert_goes_on(self, session):
        view = MaskView(session)
        view.wait(lambda: view.is_read_only(self.config), "the configuration to be read-only again")
        self.assertEqual(session.status()["state"], "running")

    def test_whatever_way_is_kept_the_session_ends_and_the_file_stays_as_the_host_made_it(self):
        held = f"'{self.config}' is held open in the session, which could write it"
        sent = f"'{self.config}' may be held open: processes of the session are sending each other descriptors"
        nobody = f"'{self.config}' stays open, and nobody can tell by whom"
        for way, why in (("writer", held), ("reader", held), ("path", held), ("secretive", held), ("thread", held),
                         ("mapping", nobody), ("in_flight", sent), ("path_in_flight", sent), ("unaccepted", sent)):
            with self.subTest(way=way), self.session(way) as session:
                self.lock.rename(self.config)
                self.assert_ended(session, why)
            for receipt in self.machine.home.glob(".local/state/agentctl/receipts/*"):
                receipt.unlink()
            self.make_lock()

    def test_a_session_that_keeps_nothing_goes_on_and_so_does_one_that_reads_what_was_protected(self):
        for way in ("nothing", "old"):
            with self.subTest(way=way), self.session(way) as session:
                self.lock.rename(self.config)
                self.assert_goes_on(session)
            self.make_lock()

    def test_the_host_s_file_for_which_a_copy_stands_is_kept_by_no_way_either(self):
        file, new = self.machine.project / "settings", self.machine.project / "settings.new"
        for enter in ("exec 3>> settings.new", "exec 3< settings.new", "ln settings.new kept"):
            file.write_text("old\n")
            new.write_text(OURS)
            self.give_to_user()
            with self.subTest(enter=enter), self.machine.session(enter, "--copy", str(file)) as session:
                new.rename(file)
                done = session.finish()
                self.assertEqual(done.returncode, 125, done.stderr)
                self.assertIn(f"'{file}' ", done.stderr)
                self.assertIn(", which could write it" if "exec" in enter else "has a second name", done.stderr)
                self.assertEqual(file.read_text(), OURS)

    def test_of_two_sessions_in_one_project_only_the_one_that_keeps_the_file_ends(self):
        (self.machine.project / "sub").mkdir()
        self.give_to_user()
        there = {"name": "second", "cwd": self.machine.project / "sub", "options": ("-C", str(self.machine.project)),
                 "waits": True}
        script = "echo ready > sub/.ready; exec sleep 1000"
        with self.session("writer") as hostile, self.machine.session(script, **there) as other:
            self.lock.rename(self.config)
            self.assert_ended(hostile, "is held open in the session")
            self.assert_goes_on(other)

    def test_a_program_of_the_host_that_closes_the_file_soon_ends_no_session(self):
        with self.session("nothing") as session:
            with open(self.lock, "a", encoding="ascii") as file:
                self.lock.rename(self.config)
                file.write("\n")
            self.assert_goes_on(session)

    def test_a_program_of_the_host_that_keeps_the_file_open_ends_the_session(self):
        with self.session("nothing") as session, open(self.lock, encoding="ascii"):
            self.lock.rename(self.config)
            self.assert_ended(session, "stays open, and nobody can tell by whom")

    def test_a_directory_in_which_the_session_stands_before_it_becomes_the_protected_one_ends_it(self):
        hooks = self.config.with_name("hooks")
        hooks.mkdir()
        new = hooks.with_name("new")
        for enter in ("cd .git/new", "exec 3< .git/new", "exec 3< .git/new/sub"):
            (new / "sub").mkdir(parents=True)
            with self.subTest(enter=enter), self.machine.session(enter + "; echo ready > $PIPE; exec sleep 1000",
                                                                 "--env", f"PIPE={self.machine.project}/.ready",
                                                                 waits=True) as session:
                hooks.rename(hooks.with_name("old"))
                new.rename(hooks)
                done = session.finish()
                self.assertEqual(done.returncode, 125, done.stderr)
                self.assertIn(f"'{hooks}' is held open in the session", done.stderr)
            (hooks / "sub").rmdir()
            (hooks.with_name("old")).rmdir()


class Undersides(unittest.TestCase):
    """The host puts a directory in the place of one that is pinned, and the session stands in it before that."""

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project

    def session(self, directory, *options):
        script = f'cd {directory}; echo ready > "$OLDPWD/.ready"; exec sleep 1000'
        return self.machine.session(script, *options, waits=True)

    def put_in_place(self, new, place):
        place.rename(place.with_name("old"))
        new.rename(place)

    @staticmethod
    def is_read_only(path):
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)

    def test_a_protected_file_in_it_is_read_only_from_there_too_also_when_it_is_replaced_once_more(self):
        for name in (".git", "new"):
            (self.project / name).mkdir()
            (self.project / name / "config").write_text(OURS)
        with self.session("new") as session:
            view = MaskView(session)
            inside = pathlib.Path(f"/proc/{session.leader}/cwd/config")
            config = self.project / ".git/config"
            self.put_in_place(self.project / "new", self.project / ".git")
            view.wait(lambda: view.is_mount_point(self.project / ".git") and self.is_read_only(inside), "protection")
            for text in ("[a]\n", "[b]\n"):
                replace(config, text)
                view.wait(lambda: view.is_read_only(config) and self.is_read_only(inside), "protection once more")
                self.assertEqual(inside.read_text(), text)
                self.assertEqual((view / config).read_text(), text)
            self.assertIn(session.status()["state"], ("running", "frozen"))  # while the last is put back

    def test_a_hidden_file_in_it_is_hidden_from_there_too_also_when_it_is_replaced_once_more(self):
        for name in ("deep/er", "new/er"):
            (self.project / name).mkdir(parents=True)
            (self.project / name / "key").write_text("old\n")
        key = self.project / "deep/er/key"
        with self.session("new/er", "--hide", "deep/er/key") as session:
            view = MaskView(session)
            inside = pathlib.Path(f"/proc/{session.leader}/cwd/key")
            self.put_in_place(self.project / "new", self.project / "deep")
            for text in ("first\n", "second\n"):
                view.wait(lambda: view.hides(key) and inside.read_bytes() == b"", "the key to be hidden")
                replace(key, text)
            view.wait(lambda: view.hides(key) and inside.read_bytes() == b"", "the key to be hidden once more")
            self.assertEqual(key.read_text(), "second\n")


class OfAnOrdinaryUser(KeptDescriptors):
    """Without privileges, and without a scope to freeze."""
    machine_class = OrdinaryUser

    def setUp(self):
        self.addCleanup(os.umask, os.umask(0))  # the pipes are for both
        super().setUp()
        self.give_to_user()

    def give_to_user(self):
        self.machine.give_away()


if __name__ == "__main__":
    unittest.main(verbosity=2)
