# SPDX-License-Identifier: Apache-2.0
"""What git on the host obeys stays as it was, whatever is tried inside; and a `.git` that lies opens nothing."""
import ctypes
import os
import threading
import unittest

from git_zoo import GitZoo, common_of, gitdir_of
from machine import Machine

SECRET = "key-that-no-agent-may-read"

# Each attempt on one path; a line is printed for every one that came through.
ATTEMPTS = """
try() { ("$@") >/dev/null 2>&1 && echo "$*"; }
for dir in "$@"; do
  if [ -d "$dir/hooks" ]; then
    try sh -c "echo evil > $dir/hooks/pre-commit"
    try mv "$dir/hooks" "$dir/hooks2"
    try rm -rf "$dir/hooks"
    try ln -s /bin/true "$dir/hooks/post-checkout"
  fi
  for file in config config.worktree commondir gitdir info/attributes; do
    [ -e "$dir/$file" ] || continue
    try sh -c "echo evil >> $dir/$file"
    try rm -f "$dir/$file"
    try mv "$dir/$file" "$dir/away"
    try sh -c "echo evil > new && mv -f new $dir/$file"
    try ln -f file "$dir/$file"
    try mount --bind file "$dir/$file"
  done
done
try git config core.fsmonitor ./evil
try git config --worktree core.hooksPath .
try git remote add evil /
try mv .git .git2
try rmdir .git
try sh -c "echo gitdir: ./evil > .git"
echo end
"""


class Swapper:
    """Exchanges two names again and again, as renameat2(2) does it: neither is ever missing."""

    def __init__(self, one, other):
        libc = ctypes.CDLL(None, use_errno=True)
        here, exchange = -100, 2
        self.swap = lambda: libc.renameat2(here, os.fsencode(one), here, os.fsencode(other), exchange)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.spin)

    def spin(self):
        while not self.ended.is_set():
            if self.swap() != 0:
                raise OSError(ctypes.get_errno(), "cannot exchange")

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class Attempts(unittest.TestCase):
    def attempt(self, machine, zoo, project, *directories):
        before = {}
        for directory in directories:
            for name in ("config", "config.worktree", "commondir", "gitdir", "info/attributes"):
                if (directory / name).exists():
                    before[directory / name] = (directory / name).read_bytes()
        hooks = {directory: sorted(os.listdir(directory / "hooks"))
                 for directory in directories if (directory / "hooks").exists()}
        done = machine.run("start", "--", "sh", "-c", ATTEMPTS, "sh", *map(str, directories), cwd=project)
        self.assertEqual(done.stdout.split("\n"), ["end", ""], done.stderr)
        for path, content in before.items():
            self.assertEqual(path.read_bytes(), content, path)
        for directory, names in hooks.items():
            self.assertEqual(sorted(os.listdir(directory / "hooks")), names)
        zoo.git(project, "status", "--porcelain")

    def test_git_05_hooks_and_config_of_a_plain_repository_stay(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("plain")
            zoo.git(project, "config", "extensions.worktreeConfig", "true")
            zoo.git(project, "config", "--worktree", "x.y", "z")
            (project / ".git/info/attributes").write_text("*.c diff\n")
            self.attempt(machine, zoo, project, project / ".git")
            done = machine.start("git switch -qc new && git commit -q --allow-empty -m new && git status", cwd=project)
            self.assertEqual(done.returncode, 0, done.stderr)  # MASK-03: with a worktree's own configuration, too

    def test_a_repository_that_is_torn_down_keeps_what_the_host_obeys(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("plain")
            before = (project / ".git/config").read_text()
            script = "rm -rf .git; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; git init -q; git config a.b c"
            machine.start(script, cwd=project)
            self.assertEqual((project / ".git/config").read_text(), before)
            self.assertFalse((project / ".git/hooks/pre-commit").exists())
            self.assertTrue((project / ".git/hooks/pre-commit.sample").exists())

    def test_git_03_the_resolved_hooks_and_pointers_of_a_worktree_stay(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("sibling")
            other = common_of(zoo, project) / "worktrees/other"
            self.attempt(machine, zoo, project, common_of(zoo, project), gitdir_of(zoo, project), other)
            done = machine.start(f"touch {other}/x; git worktree remove ../other; git worktree prune; :", cwd=project)
            self.assertIn("Read-only file system", done.stderr)
            self.assertEqual(zoo.git(project, "-C", "../other", "status", "--porcelain"), "")

    def test_hooks_and_config_of_submodules_stay(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            part = zoo.make("deep_submodule")
            whole = machine.home / "whole"
            modules = whole / ".git/modules"
            self.attempt(machine, zoo, whole, whole / ".git", modules / "middle", modules / "middle/modules/libs/part")
            done = machine.start("cd middle/libs/part && git commit -q --allow-empty -m inner && cd .. && git add part",
                                 cwd=whole)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(zoo.git(part, "log", "-1", "--format=%s"), "inner")

    def test_a_directory_of_hooks_within_the_project_stays(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("plain")
            for name, value in ((".githooks", ".githooks"), (".husky", ".husky/_")):
                (project / value).mkdir(parents=True)
                (project / name / "pre-commit").write_text("true\n")
                zoo.git(project, "config", "core.hooksPath", value)
                script = (f"echo evil > {name}/pre-commit; echo evil > {value}/post-commit; mv {name} away;"
                          f" ls -A {value}")
                done = machine.start(script, cwd=project)
                self.assertNotIn("post-commit", done.stdout)
                self.assertEqual((project / name / "pre-commit").read_text(), "true\n")
                self.assertFalse((project / "away").exists())

    def test_the_end_of_a_link_to_hooks_is_protected_and_the_link_is_told(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("plain")
            os.rename(project / ".git/hooks", project / "shared")
            (project / ".git/hooks").symlink_to("../shared")
            done = machine.start("echo evil > .git/hooks/pre-commit; echo evil > shared/pre-commit; mv shared away; :",
                                 cwd=project)
            self.assertEqual(done.stderr.count("Read-only file system"), 2, done.stderr)
            self.assertIn("the agent may replace the link", done.stderr)
            self.assertTrue((project / "shared/pre-commit.sample").exists())
            self.assertFalse((project / "shared/pre-commit").exists())

    def test_what_could_not_be_covered_is_reported_wherever_the_gitdir_is(self):
        for shape in ("plain", "sibling", "bare_beside", "submodule"):
            with self.subTest(shape), Machine() as machine:
                zoo = GitZoo(machine)
                project = zoo.make(shape)
                common = common_of(zoo, project)
                machine.start(f"echo x > {common}/commondir; echo '* -text' > {common}/info/attributes", cwd=project)
                told = {finding["path"] for finding in machine.receipts()[-1]["exec_surface"]}
                self.assertIn(f"{common}/info/attributes", told)
                self.assertTrue(os.path.exists(f"{common}/commondir.refused"))

    def test_a_guarded_path_that_is_swapped_while_sessions_start_shows_nothing_else(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("plain")
            (machine.home / "keys").mkdir()
            (machine.home / "keys/id").write_text(SECRET)
            (project / "aside").symlink_to(machine.home / "keys")
            with Swapper(project / ".git/hooks", project / "aside"):
                for _ in range(40):
                    done = machine.start("cat .git/hooks/id aside/id; ls .git", cwd=project)
                    self.assertNotIn(SECRET, done.stdout + done.stderr)
                    self.assertIn(done.returncode, (0, 1, 125), done.stderr)

    def test_what_the_user_opens_is_open_in_every_gitdir(self):
        with Machine() as machine:
            zoo = GitZoo(machine)
            project = zoo.make("sibling")
            config = machine.home / ".config/agentctl"
            config.mkdir(parents=True)
            (config / "policy.toml").write_text('[files]\nprotect = ["!./.git/config"]\n')
            done = machine.start("git config x.y inside; touch ../main/.git/hooks/x", cwd=project)
            self.assertEqual(zoo.git(project, "config", "x.y"), "inside", done.stderr)
            self.assertFalse((machine.home / "main/.git/hooks/x").exists())


class Lies(unittest.TestCase):
    """A project whose `.git` was written by an agent."""

    def nothing_is_shown(self, prepare, told):
        with Machine() as machine:
            zoo = GitZoo(machine)
            other = zoo.repository("other")
            (machine.home / ".ssh").mkdir()
            (machine.home / ".ssh/id").write_text(SECRET)
            (machine.home / ".ssh/HEAD").write_text(SECRET)
            prepare(machine, zoo, machine.project / ".git")
            script = (f"find {machine.home} -name id -o -path '*other*'; cat ~/.ssh/id ~/.ssh/HEAD;"
                      f" touch {other}/x {other}/.git/x; git log")
            done = machine.start(script)
            shown = [line for line in done.stdout.splitlines() if line != str(machine.project)]
            self.assertEqual(shown, [], done.stderr)
            self.assertNotIn(SECRET, done.stdout + done.stderr)
            self.assertFalse((other / "x").exists() or (other / ".git/x").exists())
            self.assertIn(told, done.stderr)

    def test_a_gitfile_that_names_secrets_opens_nothing(self):
        self.nothing_is_shown(lambda machine, zoo, dot: dot.write_text(f"gitdir: {machine.home}/.ssh\n"),
                              "is no repository")

    def test_a_gitfile_that_names_another_repository_opens_nothing(self):
        self.nothing_is_shown(lambda machine, zoo, dot: dot.write_text("gitdir: ../other/.git\n"),
                              "names no working tree")

    def test_a_gitfile_that_names_another_working_tree_s_gitdir_opens_nothing(self):
        def prepare(machine, zoo, dot):
            zoo.git(machine.home / "other", "worktree", "add", "-q", "-b", "t", "../another")
            dot.write_text("gitdir: ../other/.git/worktrees/another\n")
        self.nothing_is_shown(prepare, "is the gitdir of")

    def test_a_link_to_another_repository_opens_nothing(self):
        self.nothing_is_shown(lambda machine, zoo, dot: dot.symlink_to("../other/.git"), "it is not followed")

    def test_a_commondir_that_names_another_repository_opens_nothing(self):
        def prepare(machine, zoo, dot):
            zoo.git(machine.project, "init", "-q")
            (dot / "commondir").write_text("../../other/.git\n")
        self.nothing_is_shown(prepare, "network")

    def test_a_gitdir_of_its_own_making_opens_nothing(self):
        def prepare(machine, zoo, dot):
            made = machine.project / "made/worktrees/x"
            made.mkdir(parents=True)
            (made / "gitdir").write_text(f"{dot}\n")
            (made / "commondir").write_text("../../../../other/.git\n")
            dot.write_text("gitdir: made/worktrees/x\n")
        self.nothing_is_shown(prepare, "leads out of the project")

    def test_what_is_no_pointer_at_all_opens_nothing(self):
        for told, prepare in (
                ("is no directory", lambda dot: dot.write_text("gitdir: .git\n")),
                ("does not begin with", lambda dot: dot.write_text("ref: refs/heads/main\n")),
                ("File too large", lambda dot: dot.write_text("gitdir: " + "x" * 5000)),
                ("more than one line", lambda dot: dot.write_bytes(b"gitdir: /x\x00/y\n")),
                ("neither a file nor a directory", os.mkfifo)):
            with self.subTest(told):
                self.nothing_is_shown(lambda machine, zoo, dot, make=prepare: make(dot), told)

    def test_fs_08_a_link_that_leads_out_stays_broken_and_only_the_user_s_word_opens_its_end(self):
        with Machine() as machine:
            (machine.home / "keys").mkdir()
            (machine.home / "keys/id").write_text(SECRET)
            (machine.project / "keys").symlink_to("../keys")
            self.assertNotIn(SECRET, machine.start("cat keys/id").stdout)
            (machine.project / ".agentctl.toml").write_text('[files]\nread-only = ["keys"]\n')
            refused = machine.start("cat keys/id")
            self.assertEqual((refused.returncode, refused.stdout), (3, ""))
            self.assertIn(".agentctl.toml:2", refused.stderr)
            (machine.project / ".agentctl.toml").unlink()
            self.assertEqual(machine.start("cat keys/id", "--ro", "keys").stdout, SECRET)


class Commondir(unittest.TestCase):
    """git takes its configuration from where `commondir` points, and a repository of its own has no such file."""

    def lead_away(self, script, *options):
        with Machine() as machine:
            zoo = GitZoo(machine)
            zoo.git(machine.project, "init", "-q")
            marker = machine.root / "executed"
            evil = f"git config -f evil/config core.fsmonitor 'touch {marker}; false'"
            done = machine.start(f"cp -r .git evil; {evil}; {script}", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            zoo.git(machine.project, "status", "--short")
            self.assertFalse(marker.exists())
            self.assertFalse((machine.project / ".git/commondir").exists())
            self.assertTrue(os.path.lexists(machine.project / ".git/commondir.refused"))
            return done

    def test_one_that_is_made_inside_is_set_aside_and_told(self):
        done = self.lead_away("echo ../evil > .git/commondir")
        self.assertRegex(done.stderr, "commondir' was made, by which git would take its configuration from elsewhere")

    def test_one_that_is_moved_there_or_made_again_and_again_is_set_aside_too(self):
        self.lead_away("echo ../evil > there; for i in 1 2 3 4 5; do cp there .git/commondir; sleep 0.05; done; "
                       "mv there .git/commondir")

    def test_one_that_is_a_link_is_set_aside_too(self):
        self.lead_away("echo ../evil > there; ln -s ../there .git/commondir")


if __name__ == "__main__":
    unittest.main(verbosity=2)
