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
            guarded = {name: (common / name).read_bytes() for name in ("config", "hooks/pre-commit.sample")}
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
            self.assertEqual(list(common.rglob("*.lock")), [])
            zoo.git(project, "config", "x.y", "z")  # MASK-03: nothing stays locked
            zoo.git(project, "commit", "-q", "--allow-empty", "-m", "on the host")


class OnTheWay(unittest.TestCase):
    def test_git_01_a_worktree_fetches_and_pushes(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("sibling")
            zoo.git(machine.home, "clone", "-q", "--bare", "main", "upstream.git")
            zoo.git(project, "remote", "add", "origin", str(machine.home / "upstream.git"))
            script = "git fetch -q && git commit -q --allow-empty -m sent && git push -q origin topic:sent"
            done = machine.start(script, "--rw", str(machine.home / "upstream.git"), cwd=project)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(zoo.git(machine.home / "upstream.git", "log", "-1", "--format=%s", "sent"), "sent")

    def test_git_01_what_was_opened_is_told_and_can_be_kept_shut(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("sibling")
            common = common_of(zoo, project)
            with machine.session(":", cwd=project) as session:
                self.assertIn(str(common), session.known["sandbox"]["writable"])
                told = f"git: '{common}', which holds the project's repository, is writable"
                self.assertIn(told, session.known["warnings"])
            done = machine.start("git status", "--hide", str(common), cwd=project)
            self.assertIn("not a git repository", done.stderr)
            script = "git log -1 --format=%s; touch x; git add x"
            done = machine.start(script, "--ro", str(common), cwd=project)
            self.assertEqual(done.stdout, "two\n")
            self.assertIn("Read-only file system", done.stderr)

    def test_what_two_sessions_make_to_open_a_repository_is_told_in_both_receipts_and_at_the_next_start(self):
        with Machine() as machine:
            main = GitZoo(machine).repository("main")
            entry = main / ".git/worktrees/x"
            other = machine.home / "other"
            other.mkdir()
            script = f"mkdir -p {entry}; echo {other}/.git > {entry}/gitdir; echo ../.. > {entry}/commondir; cp .git/HEAD {entry}"
            self.assertEqual(machine.start(script, cwd=main).returncode, 0)
            self.assertEqual(machine.start(f"echo gitdir: {entry} > .git", cwd=other).returncode, 0)
            told = {row["path"] for receipt in machine.receipts() for row in receipt["exec_surface"]}
            self.assertGreaterEqual(told, {str(entry / "gitdir"), str(other / ".git")})
            done = machine.start("true", cwd=other)
            self.assertIn(f"git: '{main}/.git', which holds the project's repository, is writable", done.stderr)
            self.assertEqual(machine.start("true", "--hide", str(main / ".git"), cwd=other).stderr.count("is writable"), 0)

    def test_git_09_what_the_user_s_configuration_names_is_there_or_told(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("plain")
            (machine.home / "bin").mkdir()
            (machine.home / "bin/cred").write_text("#!/bin/sh\n")
            (machine.home / "work").mkdir()
            (machine.home / "work/.gitconfig").write_text("[user]\n\tname = Grace\n[commit]\n\ttemplate = ~/notes\n")
            (machine.home / "ignored").write_text("*.o\n")
            (machine.home / "notes").write_text("second hand\n")
            with open(machine.home / ".gitconfig", "a") as config:
                config.write(f"[includeIf \"gitdir:{project}/\"]\n\tpath = work/.gitconfig\n"
                             "[credential]\n\thelper = ~/bin/cred\n[core]\n\texcludesFile = ~/ignored\n")
            done = machine.start("cat ~/notes 2> /dev/null; touch x.o; git status --porcelain; git commit -q --allow-empty -m x", cwd=project)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.assertEqual(zoo.git(project, "log", "-1", "--format=%an"), "Grace")
            told = f"git: '{machine.home}/bin/cred', which your git configuration runs, is not shown"
            self.assertIn(told, done.stderr)
            self.assertIn("'~/notes', which the included", done.stderr)
            self.assertNotIn(told, machine.start(":", "--ro", str(machine.home / "bin/cred"), cwd=project).stderr)

    def test_a_part_of_a_repository_is_told_how_to_see_it(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            top = zoo.repository("whole")
            (top / "part").mkdir()
            done = machine.start("git status", cwd=top / "part")
            self.assertIn(f"--ro {top} --rw {top}/.git", done.stderr)
            self.assertNotEqual(done.returncode, 0)
            script = ("echo x > new; git add -A && git commit -qm inner;"
                      " echo evil >> ../file; echo evil > ../.git/hooks/post-commit")
            done = machine.start(script, "--ro", str(top), "--rw", str(top / ".git"), cwd=top / "part")
            self.assertNotIn("whose repository is not shown", done.stderr)
            self.assertEqual(zoo.git(top, "log", "-1", "--format=%s"), "inner", done.stderr)
            self.assertEqual(zoo.git(top, "status", "--porcelain"), "")
            self.assertFalse((top / ".git/hooks/post-commit").exists())

    def test_mask_02_a_hidden_file_does_not_disturb_tools(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("plain")
            (project / ".gitignore").write_text(".env\n")
            for name in (".env", ".env.example"):
                (project / name).write_text("TOKEN=secret\n")
            script = ("git add -A && git commit -qm all && git status --porcelain && grep -r TOKEN=secret . &&"
                      " tar cf /tmp/x.tar . && cat .env")
            done = machine.start(script, "--hide", ".env", cwd=project)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "./.env.example:TOKEN=secret\n")
            self.assertEqual((project / ".env").read_text(), "TOKEN=secret\n")
            self.assertEqual(zoo.git(project, "ls-files"), ".env.example\n.gitignore\nfile")


for name in GitZoo.shapes:
    setattr(Shapes, f"test_git_01_git_works_inside_{name}", lambda self, shape=name: self.work_in(shape))


if __name__ == "__main__":
    unittest.main(verbosity=2)
