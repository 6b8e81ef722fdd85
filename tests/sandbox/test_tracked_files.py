# SPDX-License-Identifier: Apache-2.0
"""What git tracks is not hidden without a word: a commit made inside would empty it."""
import unittest

from git_zoo import GitZoo
from machine import Machine

SECRET = "s3cret-canary\n"


class Repository:
    """The machine's project as a repository; `add` writes a file that git then tracks."""

    def __init__(self, machine):
        self.machine = machine
        self.zoo = GitZoo(machine)
        self.git("init", "-q")

    def git(self, *words):
        return self.zoo.git(self.machine.project, *words)

    def write(self, name, text=SECRET):
        path = self.machine.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def add(self, *names):
        for name in names:
            self.write(name)
            self.git("add", "-f", name)
        self.git("commit", "-qm", "files")

    def hide(self, *entries, more=""):
        config = self.machine.home / ".config/agentctl/policy.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f"[files]\nhide = [{', '.join(repr(entry) for entry in entries)}]\n{more}")


class TrackedFiles(unittest.TestCase):
    def refused(self, machine, *options):
        done = machine.run("start", *options, "--", "true")
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_mask_06_a_hide_that_covers_a_tracked_file_is_refused_with_rule_file_and_remedy(self):
        for entry, file in (("./**/conf.ini", "a/conf.ini"), ("./a/conf.ini", "a/conf.ini"), ("./a", "a/conf.ini")):
            with self.subTest(entry=entry), Machine() as machine:
                repository = Repository(machine)
                repository.add("a/conf.ini")
                repository.hide(entry)
                errors = self.refused(machine)
                self.assertIn(f"policy.toml:2:9: '{entry}' hides '{file}', which git tracks", errors)
                self.assertIn(f"git rm --cached -r -- {file}", errors)
                repository.git("rm", "-q", "--cached", "-r", "--", file)
                self.assertEqual(machine.start("cat a/conf.ini; true").stdout, "")

    def test_a_commit_inside_a_session_with_masks_takes_nothing_out(self):
        with Machine() as machine:
            repository = Repository(machine)
            repository.add("kept", "a/conf.ini")
            repository.write(".gitignore", "own.ini\n")
            repository.write("a/own.ini")
            repository.hide("./**/own.ini")
            done = machine.start("git add -A && git commit -qam inside && git show --stat --format=%s; cat a/own.ini")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("s3cret", done.stdout)
            self.assertEqual(repository.git("show", "HEAD:a/conf.ini"), SECRET.strip())
            self.assertEqual(repository.git("status", "--porcelain"), "")

    def test_mask_12_a_glob_leaves_what_the_same_file_names(self):
        with Machine() as machine:
            repository = Repository(machine)
            repository.add("test/key.ini")
            repository.write("key.ini")
            repository.hide("./**/key.ini", more='read-only = ["./test/key.ini"]\n')
            done = machine.start("cat key.ini test/key.ini; echo x >test/key.ini; true")
            self.assertEqual(done.stdout, SECRET)
            self.assertIn("Read-only file system", done.stderr)

    def test_the_repository_around_the_file_counts_and_worktrees_and_submodules_have_their_own(self):
        with Machine() as machine:
            repository = Repository(machine)
            repository.add("a/conf.ini")
            repository.hide("./**/conf.ini")
            tree = machine.home / "tree"
            repository.git("worktree", "add", "-q", str(tree))
            self.assertIn("which git tracks", self.refused(machine, "-C", str(tree)))
            inner = machine.project / "inner"
            repository.zoo.git(machine.project, "init", "-q", "inner")
            repository.git("rm", "-q", "--cached", "a/conf.ini")
            self.assertEqual(machine.start("true").returncode, 0)
            (inner / "conf.ini").write_text(SECRET)
            repository.zoo.git(inner, "add", "conf.ini")
            self.assertIn("hides 'inner/conf.ini', which git tracks", self.refused(machine))

    def test_an_index_that_cannot_be_read_is_refused_only_where_something_is_hidden(self):
        with Machine() as machine:
            repository = Repository(machine)
            repository.add("kept")
            repository.write("conf.ini")
            repository.git("update-index", "--split-index")
            self.assertEqual(machine.start("true").returncode, 0)
            repository.hide("./conf.ini")
            errors = self.refused(machine)
            self.assertIn("split into two files", errors)
            self.assertIn("--no-split-index", errors)
            repository.git("update-index", "--no-split-index")
            self.assertEqual(machine.start("cat conf.ini").stdout, "")
            (machine.project / ".git/index").write_bytes(b"DIRC\0\0\0\2\xff\xff\xff\xff")
            self.assertIn("nobody can tell whether git tracks it: the git index is cut off", self.refused(machine))
            (machine.project / ".git/index").unlink()
            (machine.project / ".git/index").symlink_to("/dev/zero")
            self.assertIn("nobody can tell", self.refused(machine))


if __name__ == "__main__":
    unittest.main(verbosity=2)
