# SPDX-License-Identifier: Apache-2.0
"""What a glob in [files] hide does to a session, seen from inside and on the host."""
import time
import unittest

from listing import listing
from machine import Machine

SECRET = "s3cret\n"


def make(path, text=SECRET):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def hide(machine, *globs):
    entries = ", ".join(f"'{glob}'" for glob in globs)
    make(machine.home / ".config/agentctl/policy.toml", f"[files]\nhide = [{entries}]\n")


class Globs(unittest.TestCase):
    def test_mask_08_a_glob_hides_every_match_at_any_depth_and_nothing_else(self):
        with Machine() as machine:
            hide(machine, "**/.env", "./*.txt")
            names = (".env", "a/.env", "a/b/c/.env", "key.txt", "a/key.txt", ".env.example", "a/env")
            for name in names:
                make(machine.project / name)
            before = listing(machine.home, leave_out=".local")
            done = machine.start(f"for f in {' '.join(names)}; do echo $f $(cat $f); done; echo x >a/.env; true")
            shown = [line.split()[0] for line in done.stdout.splitlines() if "s3cret" in line]
            self.assertEqual(shown, ["a/key.txt", ".env.example", "a/env"], done.stderr)
            self.assertIn("Read-only file system", done.stderr)
            self.assertEqual(listing(machine.home, leave_out=".local"), before)
            self.assertEqual((machine.project / "a/.env").read_text(), SECRET)

    def test_fs_01_a_link_that_matches_hides_what_it_leads_to_and_is_not_followed_for_more(self):
        with Machine() as machine:
            hide(machine, "**/.env")
            make(machine.project / "real/secret")
            make(machine.home / "other/.env")
            (machine.project / ".env").symlink_to("real/secret")
            (machine.project / "out").symlink_to(machine.home / "other")
            (machine.project / "null").mkdir()
            (machine.project / "null/.env").symlink_to("/dev/null")
            script = "cat real/secret .env; cat null/.env && echo x >/dev/null && echo usable"
            done = machine.start(script, "--ro", "~/other")
            self.assertEqual(done.stdout, "usable\n", done.stderr)
            self.assertEqual(machine.start("cat out/.env", "--ro", "~/other").stdout, SECRET)

    def test_a_name_with_brackets_is_no_pattern_where_it_is_escaped(self):
        with Machine() as machine:
            hide(machine, r"./app/\[id]/conf")
            make(machine.project / "app/[id]/conf")
            make(machine.project / "app/i/conf")
            self.assertEqual(machine.start("cat 'app/[id]/conf' app/i/conf").stdout, SECRET)

    def test_mask_05_twenty_thousand_matches_are_one_mask_where_all_in_the_directory_matches(self):
        for glob in ("data/many/**", "**/*.key"):
            with self.subTest(glob=glob), Machine() as machine:
                hide(machine, glob)
                make(machine.project / "data/readme")
                make(machine.project / "data/many/deep/x.key")
                for number in range(20000):
                    (machine.project / f"data/many/{number}.key").write_text(SECRET)
                with machine.session("cat data/readme; ls -A data/many >seen") as session:
                    status = session.status()
                    self.assertEqual(status["sandbox"]["hidden"], [str(machine.project / "data/many")])
                    self.assertIn("data/many' match", " ".join(status["warnings"]))
                    self.assertIn("is hidden as a whole", " ".join(status["warnings"]))
                self.assertEqual((machine.project / "seen").read_text(), "")

    def test_mask_05_too_many_scattered_matches_are_refused_in_time_by_the_name_of_the_rule(self):
        with Machine() as machine:
            hide(machine, "**/*.pem", "**/*.key")
            for number in range(5000):
                (machine.project / f"d{number % 100}").mkdir(exist_ok=True)
                (machine.project / f"d{number % 100}/{number}.key").touch()
            for number in range(100):
                (machine.project / f"d{number}/readme").touch()
            began = time.monotonic()
            done = machine.run("start", "--", "true")
            self.assertLess(time.monotonic() - began, 2)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("policy.toml:2:21: '**/*.key': matches more than 4000 paths", done.stderr)
            self.assertIn("hide the directory", done.stderr)

    def test_what_an_agent_makes_is_not_hidden_by_default(self):
        with Machine() as machine:
            make(machine.project / ".env.example")
            done = machine.start("cp .env.example .env; echo x >a.key; cat .env a.key")
            self.assertEqual(done.stdout, SECRET + "x\n", done.stderr)
            self.assertEqual(machine.start("cat .env a.key").stdout, "")

    def test_what_a_glob_in_protect_matches_is_read_only(self):
        with Machine() as machine:
            config = machine.home / ".config/agentctl/policy.toml"
            make(config, '[files]\nprotect = ["./**/*.lock", "./ci*"]\n')
            for name in ("a.lock", "sub/b.lock", "ci-jobs/one.yml", "free"):
                make(machine.project / name)
            done = machine.start("for f in a.lock sub/b.lock ci-jobs/one.yml ci-jobs/new free; do echo x >$f; done;"
                                 " rm a.lock; mv sub gone; cat sub/b.lock")
            self.assertEqual(done.stdout, SECRET, done.stderr)
            self.assertEqual(done.stderr.count("Read-only file system"), 4, done.stderr)
            self.assertEqual(done.stderr.count("Device or resource busy"), 2, done.stderr)
            self.assertEqual((machine.project / "free").read_text(), "x\n")
            for number in range(501):
                make(machine.project / f"d{number}/x.lock")
                make(machine.project / f"d{number}/y")
            errors = machine.run("start", "--", "true").stderr
            self.assertIn("policy.toml:2:12: './**/*.lock': matches more than 500 paths", errors)

    def test_ctl_07_a_large_tree_and_a_loop_of_links_do_not_hold_up_a_start(self):
        with Machine() as machine:
            hide(machine, "**/.env")
            for at in range(40):
                directory = machine.project / f"src/{at}/deep/er"
                directory.mkdir(parents=True)
                (directory / "up").symlink_to("../..")
                for number in range(250):
                    (directory / f"{number}.c").touch()
            (machine.project / "loop").symlink_to("loop")
            (machine.project / "root").symlink_to("/")
            make(machine.project / "src/7/deep/er/.env")
            began = time.monotonic()
            done = machine.start("cat src/7/deep/er/.env; cat src/7/deep/er/up/er/.env; echo started")
            self.assertLess(time.monotonic() - began, 2)
            self.assertEqual(done.stdout, "started\n", done.stderr)

    def test_ctl_07_the_best_of_ten_starts_takes_less_than_a_tenth_of_a_second(self):
        with Machine() as machine:
            seconds = []
            for _ in range(10):
                began = time.monotonic()
                self.assertEqual(machine.run("start", "-q", "--", "true").returncode, 0)
                seconds.append(time.monotonic() - began)
            self.assertLess(min(seconds), 0.1)

    def test_a_glob_outside_of_the_project_and_the_home_is_refused(self):
        with Machine() as machine:
            hide(machine, "/usr/**/x")
            done = machine.run("start", "--", "true")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("outside of the project and the home", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
