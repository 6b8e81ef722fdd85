# SPDX-License-Identifier: Apache-2.0
"""What is hidden or protected stays so when the host replaces it while a session runs. Seen through /proc/PID/root."""
import os
import stat
import unittest

from machine import Machine
from mask_view import MaskView, replace
from waiting import wait_for_directory_change

OLD, NEW = "OLD-SECRET\n", "NEW-SECRET\n"


class MasksSurvive(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project
        self.env = self.project / ".env"
        self.env.write_text(OLD)

    def session(self, *options, script="true", **more):
        return self.machine.session(script, "--hide", ".env", *options, **more)

    def test_mask_07_a_file_that_is_replaced_by_rename_stays_hidden(self):
        with self.session() as session:
            view = MaskView(session)
            self.assertTrue(view.hides(self.env))
            for _ in range(3):
                replace(self.env, NEW)
                view.wait_until_hidden(self.env)
            self.assertEqual(self.env.read_text(), NEW)

    def test_mask_07_a_file_that_is_removed_and_made_again_stays_hidden(self):
        with self.session() as session:
            view = MaskView(session)
            self.env.unlink()
            self.assertFalse((view / self.env).exists())
            self.env.write_text(NEW)
            view.wait_until_hidden(self.env)

    def test_mask_07_a_file_that_becomes_a_directory_stays_hidden(self):
        with self.session() as session:
            view = MaskView(session)
            self.env.unlink()
            self.env.mkdir()
            (self.env / "key").write_text(NEW)
            view.wait_until_hidden(self.env)

    def test_mask_07_a_file_that_becomes_a_link_is_hidden_with_what_it_leads_to(self):
        with self.session() as session:
            view = MaskView(session)
            target = self.project / "target"
            target.write_text(NEW)
            link = self.project / "link"
            link.symlink_to("target")
            link.rename(self.env)
            view.wait_until_hidden(self.env)
            view.wait_until_hidden(target)
            self.assertEqual(self.env.read_text(), NEW)

    def test_mask_07_a_link_of_the_agent_s_to_the_project_blinds_no_guard(self):
        (self.project / ".git/hooks").mkdir(parents=True)
        config = self.project / ".git/config"
        config.write_text("[core]\n")
        script = 'cd .git; while ! ln -s "$PWD/.." ../.env 2> /dev/null; do :; done; echo linked > ../.ready; read line < ../go'
        os.mkfifo(self.project / "go")
        with self.session(script=f"echo ready > .ready; {script}", waits=True) as session:
            view = MaskView(session)
            self.assertTrue(view.hides(self.env))
            self.env.unlink()
            self.assertEqual(session.hear(), "linked\n")
            view.wait(lambda: view.is_mount_point(self.env), "the link to be covered")
            replace(config, "[core]\n\tbare = false\n")
            view.wait(lambda: view.is_read_only(config), "the configuration to be read-only again")
            replace(self.env, NEW)
            view.wait_until_hidden(self.env)

    def test_mask_07_a_directory_that_is_renamed_and_made_again_stays_hidden(self):
        secrets = self.project / "deep" / "secrets"
        secrets.mkdir(parents=True)
        (secrets / "key").write_text(OLD)
        with self.session("--hide", "deep/secrets") as session:
            view = MaskView(session)
            self.assertTrue(view.hides(secrets))
            (self.project / "deep").rename(self.project / "moved")
            secrets.mkdir(parents=True)
            (secrets / "key").write_text(NEW)
            view.wait_until_hidden(secrets)
            self.assertTrue(view.hides(self.project / "moved" / "secrets"), "the mask moves with what it covers")

    def test_what_is_written_in_place_stays_hidden_at_once(self):
        with self.session() as session:
            self.env.write_text(NEW)
            self.assertTrue(MaskView(session).hides(self.env))

    def test_a_protected_file_that_git_replaces_is_read_only_again(self):
        config = self.project / ".git" / "config"
        config.parent.mkdir()
        config.write_text("[core]\n")
        with self.machine.session("true") as session:
            view = MaskView(session)
            self.assertTrue(view.is_read_only(config))
            lock = config.with_name("config.lock")
            lock.write_text("[core]\n\tbare = false\n")
            lock.rename(config)
            view.wait(lambda: view.is_read_only(config), "the config to be read-only again")
            self.assertEqual((view / config).read_text(), config.read_text())
            (view / config.parent / "HEAD").write_text("ref: x\n")

    def test_a_protected_file_to_which_the_session_has_kept_a_second_name_ends_it(self):
        config = self.project / ".git" / "config"
        config.parent.mkdir()
        config.write_text("[core]\n")
        lock = config.with_name("config.lock")
        lock.write_text("[core]\n\tbare = false\n")
        with self.machine.session("ln .git/config.lock .git/kept") as session:
            lock.rename(config)
            done = session.finish()
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn(f"'{config}' has a second name, by which the session could write it", done.stderr)
        self.assertEqual(config.read_text(), "[core]\n\tbare = false\n")
        self.assertEqual(self.machine.receipts()[0]["cause"], "mask-lost")

    def test_a_hidden_file_that_comes_with_a_second_name_is_told(self):
        other = self.project / "other"
        other.write_text(NEW)
        with self.session() as session:
            os.link(other, self.project / "new")
            (self.project / "new").rename(self.env)
            MaskView(session).wait_until_hidden(self.env)
            self.machine.run("stop", session.name)
            self.assertIn(f"'{self.env}' has a second name: what is in it can be read there", session.finish().stderr)

    def test_a_git_directory_that_is_made_anew_is_pinned_and_protected_again(self):
        git = self.project / ".git"
        git.mkdir()
        (git / "config").write_text("[core]\n")
        with self.machine.session("true") as session:
            view = MaskView(session)
            self.assertTrue(view.is_mount_point(git))
            git.rename(self.project / "old")
            git.mkdir()
            (git / "config").write_text("[core]\n")
            # One after the other, while the session stands still.
            again = lambda: view.is_read_only(git / "config") and view.is_mount_point(git)
            view.wait(again, "the directory to be pinned and its config to be read-only again")

    def test_it_is_told_at_once_in_the_status_and_in_the_receipt(self):
        with self.session() as session:
            replace(self.env, NEW)
            told = f"'{self.env}' was replaced on the host: hidden again"
            record = self.machine.runtime / "agentctl" / session.known["id"]
            wait_for_directory_change(record, lambda: told in session.status()["warnings"], 10, "the status to tell")
            self.assertEqual(session.status()["state"], "running", "the session goes on")
            replace(self.env, OLD)
            MaskView(session).wait_until_hidden(self.env)
            self.machine.run("stop", session.name)
            done = session.finish()
            self.assertEqual(done.stderr.count(told), 1, done.stderr)
        self.assertEqual(self.machine.receipts()[0]["restored"], [f"{told} (2 times)"])

    def test_nothing_is_left_on_the_host(self):
        before = sorted(self.project.rglob("*"))
        with self.session() as session:
            replace(self.env, NEW)
            MaskView(session).wait_until_hidden(self.env)
        self.assertEqual(sorted(self.project.rglob("*")), before)
        self.assertEqual(stat.S_IMODE(self.env.stat().st_mode), 0o644)


if __name__ == "__main__":
    unittest.main(verbosity=2)
