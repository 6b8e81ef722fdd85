# SPDX-License-Identifier: Apache-2.0
"""Every shape that a repository comes in, made by the real git on the host, in a machine's own home."""
import os
import pathlib
import subprocess


SETTINGS = """[user]
	name = Ada
	email = ada@example.org
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
"""


class GitZoo:
    """Working trees below machine.home; `shapes` names those that a project can be."""

    shapes = ("plain", "separate_inside", "sibling", "nested", "bare_beside", "bare_around", "relative", "submodule",
              "deep_submodule", "submodule_of_a_worktree")

    def __init__(self, machine):
        self.machine = machine
        self.home = machine.home
        (self.home / ".gitconfig").write_text(SETTINGS)

    def git(self, directory, *words, check=True):
        done = subprocess.run(["git", "-C", str(directory), *words], env=self.machine.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"git {' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def repository(self, name):
        """A repository with two commits, two branches and a remote that is not there."""
        path = self.home / name
        path.mkdir(parents=True)
        self.git(path, "init", "-q")
        for text in ("one", "two"):
            (path / "file").write_text(text + "\n")
            self.git(path, "add", "file")
            self.git(path, "commit", "-qm", text)
        return self.with_branch(path)

    def with_branch(self, path):
        """Packed, so that to delete it packed-refs must be written anew."""
        self.git(path, "branch", "spare")
        self.git(path, "pack-refs", "--all")
        return path

    def make(self, shape):
        """The directory of the project."""
        return getattr(self, shape)()

    def plain(self):
        return self.repository("plain")

    def separate_inside(self):
        path = self.repository("container")
        os.rename(path / ".git", path / ".real")
        (path / ".git").write_text("gitdir: ./.real\n")
        (path / ".real/info/exclude").write_text(".real\n")
        return path

    def sibling(self):
        main = self.repository("main")
        self.git(main, "worktree", "add", "-q", "-b", "other", "../other")
        self.git(main, "worktree", "add", "-q", "-b", "topic", "../topic")
        return self.home / "topic"

    def nested(self):
        main = self.repository("main")
        self.git(main, "worktree", "add", "-q", "-b", "topic", "trees/topic")
        return main / "trees/topic"

    def bare_beside(self):
        self.repository("source")
        top = self.home / "top"
        top.mkdir()
        self.git(top, "clone", "-q", "--bare", "../source", ".bare")
        (top / ".git").write_text("gitdir: ./.bare\n")
        self.git(top, "worktree", "add", "-q", "main")
        self.git(top, "worktree", "add", "-q", "-b", "topic", "topic")
        return top / "topic"

    def bare_around(self):
        self.repository("source")
        self.git(self.home, "clone", "-q", "--bare", "source", "around.git")
        around = self.home / "around.git"
        self.git(around, "worktree", "add", "-q", "main")
        self.git(around, "worktree", "add", "-q", "-b", "topic", "feature/topic")
        (around / "notes").write_text("not git's\n")
        return around / "feature/topic"

    def relative(self):
        """As git 2.48 and later with worktree.useRelativePaths; this one reads it as well."""
        path = self.sibling()
        own = self.home / "main/.git/worktrees/topic"
        (path / ".git").write_text("gitdir: ../main/.git/worktrees/topic\n")
        (own / "gitdir").write_text("../../../../topic/.git\n")
        return path

    def superproject(self, name):
        self.repository("part")
        path = self.repository(name)
        self.git(path, "submodule", "--quiet", "add", "../part", "libs/part")
        self.git(path, "commit", "-qm", "with a part")
        return path

    def submodule(self):
        return self.with_branch(self.superproject("whole") / "libs/part")

    def deep_submodule(self):
        middle = self.superproject("middle")
        whole = self.repository("whole")
        self.git(whole, "submodule", "--quiet", "add", f"{middle}", "middle")
        self.git(whole, "submodule", "--quiet", "update", "--init", "--recursive")
        return self.with_branch(whole / "middle/libs/part")

    def submodule_of_a_worktree(self):
        whole = self.superproject("whole")
        self.git(whole, "worktree", "add", "-q", "-b", "topic", "../topic")
        self.git(self.home / "topic", "submodule", "--quiet", "update", "--init")
        return self.with_branch(self.home / "topic/libs/part")


def gitdir_of(zoo, project):
    return pathlib.Path(zoo.git(project, "rev-parse", "--absolute-git-dir"))


def common_of(zoo, project):
    return (project / zoo.git(project, "rev-parse", "--git-common-dir")).resolve()
