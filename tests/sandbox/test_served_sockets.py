# SPDX-License-Identifier: Apache-2.0
"""Sockets that programs of the host serve in what a session is shown: out of reach, unless the user names them."""
import contextlib
import os
import select
import socket
import subprocess
import unittest

from machine import Machine
from mask_view import MaskView

CALL = """
import socket, sys
for path in sys.argv[1:]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            with socket.socket(socket.AF_UNIX, kind) as to:
                to.connect(path)
                to.send(b'x')
            print('reached')
            break
        except OSError:
            pass
    else:
        print('refused')
"""
WAITS = "echo ready > .ready; exec sleep 1000"
HIDDEN = "files: hidden, since programs outside serve them: the socket"


@contextlib.contextmanager
def served(path, kind=socket.SOCK_STREAM, directory=None):
    """A socket that somebody listens at, by a relative name where a directory is given."""
    with socket.socket(socket.AF_UNIX, kind) as server:
        before = os.getcwd()
        if directory is not None:
            os.chdir(directory)
        try:
            server.bind(str(path))
            if kind != socket.SOCK_DGRAM:
                server.listen()
            yield server
        finally:
            os.chdir(before)


def has_come(server):
    return bool(select.select([server], [], [], 0)[0])


class ServedSockets(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project
        (self.project / "tmp").mkdir()
        (self.project / "call.py").write_text(CALL)

    def call(self, path, *options):
        done = self.machine.start(f"python3 call.py {path}", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip(), done.stderr

    def test_one_in_the_project_is_not_reached_and_told_with_the_remedy(self):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            path = self.project / f"tmp/web-{kind}.sock"
            with self.subTest(kind=kind), served(path, kind) as server:
                found, errors = self.call(path)
                self.assertEqual((found, has_come(server)), ("refused", False))
                self.assertIn(f"warning: {HIDDEN} '{path}'; --rw with the path of one", errors)
                self.assertEqual(self.call(path, "--rw", str(path))[0], "reached")
                self.assertTrue(has_come(server))
                explained = self.machine.run("explain", str(path)).stdout
                self.assertIn("a socket that is served outside", explained)

    def test_one_that_was_bound_by_a_relative_name_or_renamed_is_not_reached_either(self):
        with served("tmp/relative.sock", directory=self.project), served(self.project / "tmp/first.sock"):
            (self.project / "tmp/first.sock").rename(self.project / "tmp/renamed.sock")
            done = self.machine.start("python3 call.py tmp/relative.sock tmp/renamed.sock")
            self.assertEqual(done.stdout.split(), ["refused"] * 2, done.stderr)

    def test_one_in_a_tree_that_is_shown_read_only_is_not_reached_either(self):
        tree = self.machine.home / "tree"
        tree.mkdir()
        with served(tree / "s") as server:
            self.assertEqual(self.call(tree / "s", "--ro", str(tree))[0], "refused")
            self.assertEqual(self.call(tree / "s", "--ro", str(tree), "--rw", str(tree / "s"))[0], "reached")
            self.assertTrue(has_come(server))

    def test_a_socket_alone_is_never_brought_in(self):
        with served(self.machine.home / "s"):
            for option in ("--ro", "--rw"):
                done = self.machine.start("true", option, str(self.machine.home / "s"))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "is neither a file nor a directory|is a socket, and no other entry shows")

    def test_a_server_that_starts_again_is_still_not_reached(self):
        path = self.project / "tmp/web.sock"
        first = socket.socket(socket.AF_UNIX)
        first.bind(str(path))
        first.listen()
        with self.machine.session(WAITS, waits=True) as session:
            view = MaskView(session)
            first.close()
            path.unlink()
            with served(path) as second:
                view.wait(lambda: view.is_mount_point(path), "the new socket to be covered")
                done = self.machine.run("exec", "s", "--", "python3", "call.py", str(path))
                self.assertEqual((done.stdout.strip(), has_come(second)), ("refused", False), done.stderr)

    def test_nobody_s_socket_stays_and_the_session_s_own_works(self):
        with served(self.project / "tmp/dead.sock"):
            pass
        done = self.machine.start(
            "python3 call.py tmp/dead.sock; test -S tmp/dead.sock && echo socket; rm tmp/dead.sock && echo removed; python3 -c '"
            "import socket; s = socket.socket(socket.AF_UNIX); s.bind(\"own\"); s.listen(); "
            "socket.socket(socket.AF_UNIX).connect(\"own\"); print(\"own\")'")
        self.assertEqual(done.stdout.split(), ["refused", "socket", "removed", "own"], done.stderr)
        self.assertNotIn(HIDDEN, done.stderr)

    def test_git_does_not_commit_what_stands_in_its_place(self):
        subprocess.run(["git", "init", "-q", self.project], check=True)
        with served(self.project / "tmp/web.sock"):
            done = self.machine.start("git add -A && git status --porcelain")
            self.assertEqual((done.returncode, "web.sock" in done.stdout), (0, False), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
