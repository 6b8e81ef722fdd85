# SPDX-License-Identifier: Apache-2.0
"""What is hidden before it exists lies in directories that nobody inside can move: seen from the host."""
import os
import pathlib
import unittest

from listing import listing
from machine import Machine
from mask_view import MaskView, replace

SECRET = "canary-7f3a\n"

# Each attempt on a directory; a line is printed for every one that came through.
ATTEMPTS = """
try() { ("$@") >/dev/null 2>&1 && echo "$*"; }
for dir in "$@"; do
  try python3 -c 'import os, sys; os.rename(sys.argv[1], "away")' "$dir"
  try rm -rf "$dir"
  try rmdir "$dir"
  try mv -T other "$dir"
  try ln -sfT other "$dir"
  try python3 -c 'import ctypes, sys, os
libc = ctypes.CDLL(None)
sys.exit(libc.renameat2(-100, os.fsencode(sys.argv[1]), -100, b"other", 2) != 0)' "$dir"
done
echo end
"""


class HeldDirectories(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project
        (self.project / "other").mkdir()

    def make(self, *directories):
        for name in directories:
            (self.project / name).mkdir(parents=True)

    def write(self, name):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
        return path

    def attack(self, hidden, *directories):
        script = f"set -- {' '.join(directories)}\n{ATTEMPTS}"
        done = self.machine.start(script, "-q", *(word for name in hidden for word in ("--hide", name)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_the_directories_above_a_hidden_name_that_is_free_cannot_be_moved_removed_or_exchanged(self):
        self.make("a/b")
        before = listing(self.project)
        self.assertEqual(self.attack(["a/b/c/.env"], "a", "a/b"), ["end"])
        self.assertEqual(listing(self.project), before)

    def test_nor_can_those_above_a_hidden_link_and_above_what_it_leads_to(self):
        self.make("links", "shared/deep")
        (self.project / "links/.env").symlink_to("../shared/deep/.env")
        self.assertEqual(self.attack(["links/.env"], "links", "shared", "shared/deep"), ["end"])

    def test_nor_can_the_directory_that_a_glob_begins_in(self):
        self.make("conf/keys")
        self.assertEqual(self.attack(["conf/keys/*.key"], "conf", "conf/keys"), ["end"])

    def test_a_secret_that_the_host_makes_there_is_hidden_whatever_the_agent_has_tried(self):
        self.make("a/b")
        script = "set -- a a/b\n" + ATTEMPTS
        with self.machine.session(script, "--hide", "a/b/.env", "--hide", "a/*.key") as session:
            view = MaskView(session)
            for name in ("a/b/.env", "a/x.key"):
                view.wait_until_hidden(self.write(name))

    def test_files_can_be_made_moved_and_removed_in_them(self):
        self.make("a/b")
        script = "cd a/b; echo 1 > x; mv x y; mkdir d; mv y d; rm -r d; echo 2 > ../z; mv ../z .; cat z"
        done = self.machine.start(script, "-q", "--hide", "a/b/.env")
        self.assertEqual((done.returncode, done.stdout), (0, "2\n"), done.stderr)

    def test_without_a_rule_of_the_user_nothing_is_held(self):
        self.make("a/b")
        with self.machine.session("true") as session:
            view = MaskView(session)
            for name in ("a", "a/b"):
                self.assertFalse(view.is_mount_point(self.project / name))

    def test_a_directory_that_the_host_moves_is_held_anew_when_it_is_back(self):
        self.make("a/b")
        with self.machine.session("true", "--hide", "a/b/.env") as session:
            view = MaskView(session)
            (self.project / "a").rename(self.project / "gone")
            self.make("a/b")
            view.wait(lambda: view.is_mount_point(self.project / "a/b"), "the directory to be held")
            view.wait_until_hidden(self.write("a/b/.env"))

    def test_what_was_made_while_the_directory_of_a_glob_lay_elsewhere_is_hidden_when_it_is_back(self):
        with self.machine.session("true", "--hide", "conf/*.key") as session:
            view = MaskView(session)
            view.wait_until_hidden(self.write("conf/a.key"))
            (self.project / "conf").rename(self.project / "gone")
            self.write("gone/b.key")
            (self.project / "gone").rename(self.project / "conf")
            view.wait_until_hidden(self.project / "conf/b.key")


class NewDirectories(unittest.TestCase):
    """What the agent makes on the way to a hidden name, or the host around a new match, is held from then on."""

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project
        os.mkfifo(self.project / "go")

    def session(self, before, after, *hidden):
        """`after` is tried when the test says so; what came through is read from `out`."""
        script = f"""
            try() {{ ("$@") >/dev/null 2>&1 && echo "$*" >> out; }}
            {before}
            echo ready > .ready
            read line < go
            {after}
            echo done > .ready
            exec sleep 1000"""
        options = [word for name in hidden for word in ("--hide", name)]
        return self.machine.session(script, *options, waits=True)

    def came_through(self, session):
        (self.project / "go").write_text("go\n")
        self.assertEqual(session.hear(), "done\n")
        out = self.project / "out"
        return out.read_text().splitlines() if out.exists() else []

    def wait_until_held(self, view, *names):
        for name in names:
            view.wait(lambda name=name: view.is_mount_point(self.project / name), f"{name} to be held")

    def write_through(self, name):
        """As the host's user, who takes the name for what it says."""
        (self.project / name).write_text(SECRET)

    def test_a_link_of_the_agent_s_on_the_way_to_a_hidden_name_leads_the_secret_to_no_visible_place(self):
        with self.session("mkdir -p elsewhere/b; ln -s elsewhere a", "try mv elsewhere away; try mv elsewhere/b away",
                          "a/b/.env") as session:
            view = MaskView(session)
            self.wait_until_held(view, "elsewhere", "elsewhere/b")
            self.assertEqual(self.came_through(session), [])
            self.write_through("a/b/.env")
            view.wait_until_hidden(self.project / "elsewhere/b/.env")

    def test_a_link_of_the_agent_s_at_a_hidden_name_leads_the_secret_to_no_visible_place(self):
        with self.session("mkdir place; ln -s place/visible .env", "try mv place away", ".env") as session:
            view = MaskView(session)
            self.wait_until_held(view, "place")
            self.assertEqual(self.came_through(session), [])
            self.write_through(".env")
            view.wait_until_hidden(self.project / "place/visible")

    def test_a_link_that_was_there_and_that_the_agent_leads_elsewhere_is_followed(self):
        (self.project / "releases/1").mkdir(parents=True)
        (self.project / "current").symlink_to("releases/1")
        with self.session("mkdir -p evil/deep; ln -sfn evil/deep current", "try mv evil away; try mv evil/deep away",
                          "current/.env") as session:
            view = MaskView(session)
            self.wait_until_held(view, "evil", "evil/deep")
            self.assertEqual(self.came_through(session), [])
            self.write_through("current/.env")
            view.wait_until_hidden(self.project / "evil/deep/.env")

    def test_a_link_that_leads_to_a_link_and_to_a_file_that_is_replaced_later_is_followed_to_the_end(self):
        with self.session("mkdir p; echo mine > p/file; ln -s p/file two; ln -s two .env", "true", ".env") as session:
            view = MaskView(session)
            end = self.project / "p/file"
            view.wait_until_hidden(end)
            new = self.project / "new"
            new.write_text(SECRET)
            new.rename(end)
            view.wait_until_hidden(end)

    def test_a_link_of_the_agent_s_that_matches_a_glob_leads_the_secret_to_no_visible_place(self):
        with self.session("mkdir sub place; ln -s ../place/visible sub/.env", "try mv place away", "**/.env") as session:
            view = MaskView(session)
            self.wait_until_held(view, "sub", "place")
            self.assertEqual(self.came_through(session), [])
            self.write_through("sub/.env")
            view.wait_until_hidden(self.project / "place/visible")

    def test_a_directory_that_the_agent_makes_on_the_way_to_a_hidden_name_is_held(self):
        with self.session("mkdir a", "try mv a away; try rmdir a; mkdir a/b; try mv a/b b", "a/.env") as session:
            self.wait_until_held(MaskView(session), "a")
            self.assertEqual(self.came_through(session), ["mv a/b b"])

    def test_the_directories_above_a_new_match_are_held_and_who_stands_in_them_finds_it_hidden(self):
        (self.project / "sub/deep").mkdir(parents=True)
        (self.project / "node_modules").mkdir()
        with self.session("cd sub/deep; for name in go out .ready; do ln -s ../../$name $name; done",
                          "try mv ../../sub ../../node_modules/x; try mv ../deep ../away; try cat .env",
                          "**/.env") as session:
            view = MaskView(session)
            env = self.project / "sub/deep/.env"
            inside = pathlib.Path(f"/proc/{session.leader}/cwd/.env")
            env.write_text(SECRET)
            self.wait_until_held(view, "sub", "sub/deep")
            for text in ("one\n", "two\n"):
                view.wait(lambda: view.hides(env) and inside.read_bytes() == b"", "the match to be hidden")
                replace(env, text)
            view.wait(lambda: view.hides(env) and inside.read_bytes() == b"", "the match to be hidden once more")
            self.assertEqual(self.came_through(session), ["cat .env"])


class ShownByName(unittest.TestCase):
    def test_a_file_that_is_shown_by_its_name_against_a_glob_stays_visible_when_the_host_replaces_it(self):
        for key in ("read-only", "read-write"):
            with self.subTest(key=key), Machine() as machine:
                policy = machine.home / ".config/agentctl/policy.toml"
                policy.parent.mkdir(parents=True)
                policy.write_text(f'[files]\n{key} = ["{machine.project}/.env"]\n'
                                  f'hide = ["{machine.project}/**/.env*"]\n')
                shown, hidden = machine.project / ".env", machine.project / ".env.local"
                shown.write_text("old\n")
                with machine.session("true") as session:
                    view = MaskView(session)
                    new = machine.project / "new"
                    new.write_text("new\n")
                    new.rename(shown)
                    hidden.write_text(SECRET)  # seen later than the other
                    view.wait_until_hidden(hidden)
                    self.assertEqual((view / shown).read_text(), "new\n")
                    self.assertEqual(bool(os.statvfs(view / shown).f_flag & os.ST_RDONLY), key == "read-only")


if __name__ == "__main__":
    unittest.main(verbosity=2)
