# SPDX-License-Identifier: Apache-2.0
"""What is hidden is empty inside: git there takes it for ignored, so that no commit holds it so."""
import unittest

from machine import Machine
from test_tracked_files import SECRET, Repository

ADD_ALL = "git add -A && git commit -qm inside && git show --format= --name-only HEAD"


class HiddenFromGit(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.repository = Repository(self.machine)
        self.repository.add("kept")

    def tracked(self):
        return self.repository.git("ls-files").split("\n")

    def test_git_add_all_inside_leaves_out_a_hidden_file_that_nobody_ignores_and_the_next_start_works(self):
        for name in (".env", "a/b/server.key"):
            self.repository.write(name)
        done = self.machine.start(f"echo new > made; {ADD_ALL}; git clean -fd; git stash -uq; git status --porcelain")
        self.assertEqual((done.returncode, done.stdout), (0, "made\n"), done.stderr)
        self.assertNotIn("git add", done.stderr)
        self.assertEqual(self.tracked(), ["kept", "made"])
        self.assertEqual((self.machine.project / "a/b/server.key").read_text(), SECRET)
        self.assertEqual(self.machine.start("cat .env; git status --porcelain").stdout, "")
        self.assertEqual(self.repository.git("status", "--porcelain").split("\n"), ["?? .env", "?? a/"])

    def test_a_repository_that_is_made_inside_leaves_it_out_too(self):
        with Machine() as machine:
            (machine.project / ".env").write_text(SECRET)
            (machine.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
            done = machine.start(f"git init -q; echo new > made; {ADD_ALL}")
            self.assertEqual(done.stdout, "made\n", done.stderr)

    def test_what_comes_to_match_a_glob_of_the_users_is_left_out_and_what_their_file_shows_is_added(self):
        self.repository.hide("./**/*.conf", more='read-write = ["./shown.conf"]\n')
        self.repository.write("shown.conf", "shown\n")
        done = self.machine.start(f"mkdir a; echo x > a/later.conf; {ADD_ALL}")
        self.assertEqual(done.stdout, "shown.conf\n", done.stderr)
        self.assertEqual(self.repository.git("show", "HEAD:shown.conf"), "shown")

    def test_the_users_own_list_of_what_git_ignores_goes_on_to_count(self):
        self.repository.write(".env")
        lists = (("", ".config/git/ignore"), ("[core]\n\texcludesFile = ~/.ignored\n", ".ignored"))
        for at, (setting, path) in enumerate(lists):
            with self.subTest(path=path):
                config = self.machine.home / ".gitconfig"
                config.write_text(config.read_text() + setting)
                list_of_theirs = self.machine.home / path
                list_of_theirs.parent.mkdir(parents=True, exist_ok=True)
                list_of_theirs.write_text("*.swp")
                done = self.machine.start(f"touch x.swp made{at}; {ADD_ALL}")
                self.assertEqual(done.stdout, f"made{at}\n", done.stderr)
                list_of_theirs.unlink()
                (self.machine.project / "x.swp").unlink()

    def test_a_list_that_the_session_may_not_see_is_not_shown_to_it(self):
        self.repository.write(".env")
        config = self.machine.home / ".gitconfig"
        config.write_text(config.read_text() + "[include]\n\tpath = ~/.more\n")
        (self.machine.home / ".more").write_text("[core]\n\texcludesFile = ~/.secret\n")
        (self.machine.home / ".secret").write_text(SECRET)
        done = self.machine.start("cat /run/agentctl/git-ignore; echo x >> /run/agentctl/git-ignore")
        self.assertEqual(done.stdout, "/.env\n", done.stderr)
        self.assertIn("cannot create /run/agentctl/git-ignore", done.stderr)

    def test_a_warning_names_the_file_where_a_gitignore_has_it_not_ignored(self):
        self.repository.write(".env")
        self.repository.write(".gitignore", "!.env\n")
        done = self.machine.start("true")
        self.assertIn("warning: git: hidden, and 'git add -A' inside would commit them empty: .env; name them in .gitignore",
                      done.stderr)
        self.repository.write(".gitignore", "!.env\n.env\n")
        self.assertNotIn("git add", self.machine.start("true").stderr)

    def test_a_warning_names_the_file_where_the_policy_or_the_repository_has_its_own_say(self):
        self.repository.write(".env")
        told = "'git add -A' inside would commit them empty"
        self.assertIn(f"{told}, since the policy sets GIT_CONFIG_COUNT: .env",
                      self.machine.start("true", "--env", "GIT_CONFIG_COUNT=0").stderr)
        self.repository.git("config", "core.excludesFile", "/nowhere")
        self.assertIn(f"{told}: .env", self.machine.start("true").stderr)

    def test_nothing_is_set_where_nothing_is_hidden(self):
        done = self.machine.start("env | grep GIT_CONFIG; ls /run/agentctl")
        self.assertNotIn("git", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
