# SPDX-License-Identifier: Apache-2.0
"""Paths that the host swaps without pause while sessions start: what is meant is shown, or nothing runs."""
import ctypes
import multiprocessing
import os
import unittest

from machine import Machine

STARTS = 100
SECRET = "canary-of-the-home"
AT_FDCWD = -100
RENAME_EXCHANGE = 2


def swap_for_ever(one, other, ready):
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    names = (os.fsencode(one), os.fsencode(other))
    if renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) != 0:
        return
    ready.set()
    while True:
        renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE)


def remake_for_ever(path, target, ready):
    """A directory, then a link in its place, then the directory again: nothing of it is ever the same."""
    while True:
        os.mkdir(path)
        os.mkdir(path / "mine")
        ready.set()
        os.rmdir(path / "mine")
        try:
            os.rmdir(path)
        except OSError:  # a session has written there
            for name in os.listdir(path):
                os.unlink(path / name)
            os.rmdir(path)
        os.symlink(target, path)
        os.unlink(path)


class Swapping:
    def __init__(self, work, *arguments):
        ready = multiprocessing.Event()
        self.process = multiprocessing.Process(target=work, args=(*arguments, ready), daemon=True)
        self.process.start()
        if not ready.wait(10):
            self.process.kill()
            raise AssertionError("nothing is swapped")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.join()


class Swaps(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__, None, None, None)
        (self.machine.home / "secret").write_text(SECRET)
        (self.machine.home / ".local/state").mkdir(parents=True)

    def names_in_home(self):
        return {name for name in os.listdir(self.machine.home)}

    def start_often(self, place, *options):
        """How many sessions ran; each looks for the secret at the place, and writes there."""
        before = self.names_in_home()
        script = f"cat {place}/secret 2>/dev/null; ls -A {place}; touch {place}/planted"
        ran = 0
        for _ in range(STARTS):
            ended = self.machine.start(script, "-q", *options, cwd="/")
            self.assertNotIn(SECRET, ended.stdout + ended.stderr)
            self.assertNotIn("secret", ended.stdout.split("\n"))
            ran += ended.returncode == 0
            self.assertEqual(self.names_in_home() - before, set())
        return ran

    def test_fs_07_the_project_exchanged_with_a_link_to_the_home_is_never_the_home(self):
        project, link = self.machine.root / "shop", self.machine.root / "link"
        project.mkdir()
        link.symlink_to(self.machine.home)
        with Swapping(swap_for_ever, project, link):
            self.assertGreater(self.start_often(".", "-C", str(project)), 0)

    def test_fs_07_a_directory_above_the_project_exchanged_with_a_link_is_never_followed(self):
        work, link = self.machine.root / "work", self.machine.root / "link"
        (work / "home").mkdir(parents=True)
        link.symlink_to(self.machine.root)  # so that work/home is the home
        with Swapping(swap_for_ever, work, link):
            self.assertGreater(self.start_often(".", "-C", str(work / "home")), 0)

    def test_fs_08_a_read_write_entry_exchanged_with_a_link_to_the_home_is_never_the_home(self):
        entry, link = self.machine.root / "entry", self.machine.root / "link"
        entry.mkdir()
        link.symlink_to(self.machine.home)
        with Swapping(swap_for_ever, entry, link):
            self.assertGreater(self.start_often(str(entry), "-C", str(self.machine.project), "--rw", str(entry)), 0)

    def test_fs_08_a_read_write_entry_below_an_exchanged_directory_is_never_the_home(self):
        work, link = self.machine.root / "work", self.machine.root / "link"
        (work / "home").mkdir(parents=True)
        link.symlink_to(self.machine.root)  # so that work/home is the home
        with Swapping(swap_for_ever, work, link):
            self.start_often(str(work / "home"), "-C", str(self.machine.project), "--rw", str(work / "home"))

    def test_fs_07_a_project_that_is_removed_and_made_again_is_the_one_that_was_looked_at_or_none(self):
        project = self.machine.root / "shop"
        with Swapping(remake_for_ever, project, self.machine.home):
            self.start_often(".", "-C", str(project))


if __name__ == "__main__":
    unittest.main(verbosity=2)
