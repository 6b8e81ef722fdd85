# SPDX-License-Identifier: Apache-2.0
"""The directories that mounts of a session are to stand in are exchanged, while it starts, for links that lead out of the project,
in bwrap's own view of the host too: nothing comes to be where they lead."""
import os
import subprocess
import unittest

from listing import listing
from machine import Machine
from swapping import Swapping, swap_for_ever, swap_without_rest

STARTS = 50  # of each of four kinds of links
REPOSITORY_STARTS = 10
CONTROL_STARTS = 10000
RULES = ("--protect", "work/settings", "--ro", "work/read", "--hide", "work/key", "--copy", "work/copied")
REFUSES_LINKS = "symlink"  # in the words of a bwrap that does not mount on one


class DestinationSwaps(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project
        self.victim = self.machine.root / "victim"
        self.victim.mkdir()
        (self.victim / "there").write_text("as it was\n")
        self.before = self.look()

    def look(self):
        return {name: os.lstat(self.victim / name) for name in listing(self.victim)}, os.stat(self.victim).st_mtime_ns

    def links(self):
        """bwrap has the host at /oldroot and what it builds at /newroot, and follows links in either."""
        up = "../" * len(self.project.parts)
        return [str(self.victim), f"/oldroot{self.victim}", f"/newroot{self.victim}", f"{up}oldroot{self.victim}"]

    def swap_beside(self, directory, start, starts):
        """`start` is called while the directory and a link to the victim change places; gives how often it said yes, and how often no."""
        answers = {True: 0, False: 0}
        link = self.project / "link"
        for target in self.links():
            link.symlink_to(target)
            with Swapping(swap_for_ever, directory, link):
                for _ in range(starts):
                    answers[start()] += 1
                    self.assertEqual(self.look(), self.before, f"by a link to {target}")
            if directory.is_symlink():
                directory.unlink()
                link.rename(directory)
            else:
                link.unlink()
        return answers

    def runs(self, *options):
        done = self.machine.start("true", "-q", *options)
        self.assertIn(done.returncode, (0, 2, 3, 125), done.stderr)
        return done.returncode == 0

    def test_fs_08_a_directory_of_protected_hidden_and_copied_files_is_exchanged(self):
        work = self.project / "work"
        (work / "read").mkdir(parents=True)
        for name in ("settings", "key", "copied"):
            (work / name).write_text("x\n")
        answers = self.swap_beside(work, lambda: self.runs(*RULES), STARTS)
        self.assertGreater(min(answers.values()), 0, answers)

    def test_git_05_a_repository_is_exchanged(self):
        git = self.project / ".git"
        for name in ("hooks", "objects", "refs", "info"):
            (git / name).mkdir(parents=True)
        for name, text in (("HEAD", "ref: refs/heads/main\n"), ("config", "[core]\n"), ("info/attributes", "# none\n")):
            (git / name).write_text(text)
        answers = self.swap_beside(git, self.runs, REPOSITORY_STARTS)
        self.assertGreater(min(answers.values()), 0, answers)

    def test_bwrap_alone_makes_a_file_there_or_says_that_it_mounts_on_no_link(self):
        work, link = self.project / "work", self.project / "link"
        work.mkdir()
        (work / "settings").write_text("x\n")
        link.symlink_to(f"/oldroot{self.victim}")
        settings = str(work / "settings")
        argv = ["bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
                "--bind", str(self.project), str(self.project), "--ro-bind", settings, settings, "/usr/bin/true"]
        with Swapping(swap_without_rest, work, link):
            for _ in range(CONTROL_STARTS):
                done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
                if self.look() != self.before or REFUSES_LINKS in done.stderr:
                    return
        self.fail("neither was seen: the tests above prove nothing")


if __name__ == "__main__":
    unittest.main(verbosity=2)
