# SPDX-License-Identifier: Apache-2.0
"""The receipts that are kept, and what the end of a session clears away."""
import json
import os
import time
import unittest

from machine import Machine

DAYS = 24 * 3600


class Receipts(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def test_without_a_name_all_are_listed_the_last_one_first(self):
        self.machine.start("exit 3", "--name", "one")
        self.machine.start("kill -TERM $$", "--name", "two")
        done = self.machine.run("receipt")
        head, *lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(head, ["NAME", "ID", "ENDED", "HOW", "AFTER", "MEMORY", "PROJECT"], done.stderr)
        self.assertEqual([line[0] for line in lines], ["two", "one"])
        self.assertEqual([lines[0][5], lines[1][5:8]], ["SIGTERM", ["exited", "with", "3"]])
        listed = json.loads(self.machine.run("receipt", "--json").stdout)
        kept = sorted(self.machine.receipts(), key=lambda receipt: -receipt["ended_usec"])
        self.assertEqual(listed, kept)

    def test_where_none_is_kept_that_is_said_and_the_array_is_empty(self):
        done = self.machine.run("receipt")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("no receipt is kept yet", done.stderr)
        self.assertEqual(json.loads(self.machine.run("receipt", "--json").stdout), [])

    def test_the_last_of_several_sessions_of_one_name_is_shown_and_the_others_are_told_of(self):
        for status in (3, 4):
            self.machine.start(f"exit {status}", "--name", "again")
        earlier, last = sorted(self.machine.receipts(), key=lambda receipt: receipt["ended_usec"])
        done = self.machine.run("receipt", "--json", "again")
        self.assertEqual(json.loads(done.stdout), last)
        self.assertIn("the last of 2 sessions of that name", done.stderr)
        by_id = self.machine.run("receipt", "--json", earlier["id"])
        self.assertEqual((json.loads(by_id.stdout), by_id.stderr), (earlier, ""))

    def make_cache(self, project, days):
        """As a session of that project left it so many days ago."""
        cache = self.machine.home / ".local/state/agentctl/caches" / str(project)[1:].replace("/", "!")
        (cache / "npm").mkdir(parents=True, mode=0o700)
        (cache / "npm/x").write_text("x")
        (cache / "npm").chmod(0o555)
        (cache / "out").symlink_to(self.machine.home)
        used = time.time() - days * DAYS
        os.utime(cache, (used, used))
        return cache

    def test_the_end_of_a_session_removes_the_old_caches_of_projects_that_are_gone_and_no_others(self):
        home = self.machine.home
        (home / "there").mkdir()
        gone = self.make_cache(home / "gone", 31)
        stay = [self.make_cache(home / "there", 31), self.make_cache(home / "recent", 29)]
        kept = home / ".local/state/agentctl/homes/gone"
        kept.mkdir(parents=True)
        self.assertEqual(self.machine.start("true").returncode, 0)
        self.assertFalse(gone.exists())
        self.assertTrue(all((cache / "npm/x").exists() for cache in stay))
        self.assertTrue(kept.exists() and (home / "there").exists())

    def test_a_session_is_a_use_of_its_cache(self):
        cache = self.make_cache(self.machine.project, 40)
        self.assertEqual(self.machine.start("true").returncode, 0)
        self.assertLess(time.time() - cache.stat().st_mtime, DAYS)

    def test_the_cache_of_a_session_whose_project_went_meanwhile_stays_while_it_runs(self):
        project = self.machine.home / "other"
        project.mkdir()
        with self.machine.session(":", cwd=project) as session:
            cache = next(path for path in (self.machine.home / ".local/state/agentctl/caches").iterdir())
            os.utime(cache, (0, 0))
            project.rename(self.machine.home / "moved")
            self.machine.start("true", "--name", "t")
            self.assertTrue(cache.exists())
            (self.machine.home / "moved").rename(project)
            self.assertEqual(session.status()["state"], "running")


if __name__ == "__main__":
    unittest.main(verbosity=2)
