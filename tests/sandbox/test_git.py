# SPDX-License-Identifier: Apache-2.0
"""git inside, in every shape of repository, and what it leaves for git on the host."""
import os
import pathlib
import stat
import unittest

from git_zoo import GitZoo, common_of, gitdir_of
from machine import Machine

WORK = """
set -e
echo three > file; git add file; git commit -qm three
git branch made; git branch -q -D made spare
echo four > file; git stash -q; git stash pop -q; git commit -qam four
four=$(git rev-parse HEAD)
git switch -qc side HEAD~1; echo side > side; git add side; git commit -qm side; git rebase -q $four
git tag v1; git gc -q; git status --porcelain; git log --oneline | wc -l
"""


def listing(directory, skipped=()):
    """Names, kinds, contents: all that a host tool could see, but for what lies in `skipped`."""
    found = {}
    for path, names, files in os.walk(directory):
        names[:] = [name for name in names if os.path.join(path, name) not in skipped]
        for name in names + files:
            full = os.path.join(path, name)
            status = os.lstat(full)
            content = pathlib.Path(full).read_bytes() if stat.S_ISREG(status.st_mode) else None
            found[full] = (status.st_mode, status.st_uid, content)
    return found


class Shapes(unittest.TestCase):
    def work_in(self, shape):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make(shape)
            machine.start(":", cwd=project)  # makes the directory of receipts
            common, own = common_of(zoo, project), gitdir_of(zoo, project)
            kept = {path for path in (project, common, machine.home / ".local")}
            outside = listing(machine.home, set(map(str, kept)))
            guarded = {name: (common / name).read_bytes() for name in ("config", "hooks/pre-commit.sample") if (common / name).exists()}
            others = listing(common / "worktrees", {str(own)}) if (common / "worktrees").exists() else {}

            done = machine.start(WORK, cwd=project)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("dubious", done.stderr)
            self.assertEqual(done.stdout.split(), ["5"], done.stderr)
            self.assertEqual(listing(machine.home, set(map(str, kept))), outside)
            for name, content in guarded.items():
                self.assertEqual((common / name).read_bytes(), content, name)
            if others:
                self.assertEqual(listing(common / "worktrees", {str(own)}), others)
            self.assertEqual(zoo.git(project, "status", "--porcelain"), "")
            self.assertEqual(zoo.git(project, "log", "-1", "--format=%s"), "side")
            zoo.git(project, "fsck", "--strict", "--no-dangling")
            self.assertEqual([path for path in common.rglob("*.lock")], [])
            zoo.git(project, "config", "x.y", "z")  # MASK-03: nothing stays locked
            zoo.git(project, "commit", "-q", "--allow-empty", "-m", "on the host")


for name in GitZoo.shapes:
    setattr(Shapes, f"test_git_01_git_works_inside_{name}", lambda self, shape=name: self.work_in(shape))


if __name__ == "__main__":
    unittest.main(verbosity=2)
