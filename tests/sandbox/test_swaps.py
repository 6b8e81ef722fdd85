# SPDX-License-Identifier: Apache-2.0
"""Paths that the host swaps without pause while sessions start: what is meant is shown, or nothing runs."""
import os
import unittest

from machine import Machine
from swapping import Swapping, remake_for_ever, swap_for_ever

STARTS = 50
PROJECT_STARTS = 200
MOST_STARTS = 3000  # few sessions get through, and at least one has to show what it sees
SECRET = "canary-of-the-home"


class Swaps(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__, None, None, None)
        (self.machine.home / "secret").write_text(SECRET)
        (self.machine.home / ".local/state").mkdir(parents=True)

    def names_in_home(self):
        return {name for name in os.listdir(self.machine.home)}

    def start_often(self, place, *options, starts=STARTS):
        """How many sessions ran; each looks for the secret at the place, and writes there."""
        before = self.names_in_home()
        script = f"cat {place}/secret 2>/dev/null; ls -A {place}; touch {place}/planted"
        ran = tries = 0
        while tries < starts or (ran == 0 and tries < MOST_STARTS):
            tries += 1
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
            self.assertGreater(self.start_often(".", "-C", str(project), starts=PROJECT_STARTS), 0)

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
