# SPDX-License-Identifier: Apache-2.0
"""What comes to match a glob in [files] hide while a session runs is hidden. Seen through /proc/PID/root."""
import itertools
import os
import signal
import subprocess
import threading
import unittest

from listing import listing
from machine import Machine
from mask_view import MaskView, replace
from waiting import wait_for_directory_change

SECRET = "s3cret\n"


def make(path, text=SECRET):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


class NewMatches(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project

    def session(self, *options, script="true", globs=("**/.env*",), **more):
        hidden = [word for glob in globs for word in ("--hide", glob)]
        return self.machine.session(script, *hidden, *options, **more)

    def test_mask_08_a_file_that_the_host_makes_is_hidden_and_one_of_another_name_is_not(self):
        with self.session() as session:
            view = MaskView(session)
            other = make(self.project / "env.txt")
            env = make(self.project / ".env")
            view.wait_until_hidden(env)
            local = self.project / ".env.local"
            replace(local, SECRET)
            view.wait_until_hidden(local)
            self.assertEqual(env.read_text(), SECRET)
            self.assertEqual((view / other).read_text(), SECRET)
            self.assertFalse(view.is_mount_point(other))

    def test_mask_08_a_file_in_a_new_directory_is_hidden(self):
        with self.session() as session:
            view = MaskView(session)
            for name in ("packages/app/.env", "a directory/b/c/d/e/.env", "packages/app/deep/.env.local"):
                view.wait_until_hidden(make(self.project / name))

    def test_mask_08_a_file_in_a_directory_that_is_moved_in_is_hidden(self):
        elsewhere = self.machine.home / "elsewhere"
        for number in range(100):
            make(elsewhere / f"{number}/x/readme")
        make(elsewhere / "99/x/.env")
        with self.session() as session:
            view = MaskView(session)
            elsewhere.rename(self.project / "inside")
            view.wait_until_hidden(self.project / "inside/99/x/.env")
            self.assertEqual((view / self.project / "inside/99/x/readme").read_text(), SECRET)

    def test_mask_08_a_file_in_a_directory_that_was_renamed_is_hidden(self):
        (self.project / "old/sub").mkdir(parents=True)
        with self.session() as session:
            view = MaskView(session)
            (self.project / "old").rename(self.project / "new")
            view.wait_until_hidden(make(self.project / "new/sub/.env"))

    def test_mask_08_a_file_that_a_checkout_brings_is_hidden(self):
        def git(*words):
            subprocess.run(["git", "-c", "user.name=u", "-c", "user.email=u@x", *words], cwd=self.project, check=True,
                           env=self.machine.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        git("init", "-q", "-b", "main")
        git("commit", "-q", "--allow-empty", "-m", "none")
        git("checkout", "-q", "-b", "branch")
        key = make(self.project / "config/secret.key")
        git("add", "-A")
        git("commit", "-q", "-m", "key")
        git("checkout", "-q", "main")
        self.assertFalse(key.exists())
        with self.session(globs=["./config/*.key"]) as session:
            git("checkout", "-q", "branch")
            MaskView(session).wait_until_hidden(key)

    def test_mask_08_a_directory_that_a_glob_begins_in_may_be_made_later_and_made_anew(self):
        with self.session(globs=["./deep/config/*.key"]) as session:
            view = MaskView(session)
            key = make(self.project / "deep/config/a.key")
            view.wait_until_hidden(key)
            (self.project / "deep").rename(self.project / "gone")
            view.wait_until_hidden(make(key))
            view.wait_until_hidden(make(key.with_name("b.key")))

    def test_mask_08_a_link_that_is_new_is_hidden_with_what_it_leads_to(self):
        target = make(self.project / "target")
        with self.session() as session:
            view = MaskView(session)
            (self.project / ".env").symlink_to("target")
            view.wait_until_hidden(target)
            view.wait(lambda: view.is_mount_point(self.project / ".env"), "the link to be covered")
            self.assertEqual(target.read_text(), SECRET)

    def test_a_new_directory_that_matches_is_hidden_as_a_whole(self):
        with self.session(globs=["**/secrets*"]) as session:
            view = MaskView(session)
            make(self.project / "a/secrets.d/key")
            view.wait(lambda: view.hides(self.project / "a/secrets.d"), "the directory to be hidden")
            self.assertEqual(os.listdir(view / self.project / "a/secrets.d"), [])

    def test_what_the_agent_makes_is_hidden_too_and_stays_on_the_host(self):
        script = "mkdir own; echo mine > own/.env; echo mine > own/env"
        with self.session(script=script) as session:
            env = self.project / "own/.env"
            MaskView(session).wait_until_hidden(env)
            self.assertEqual(env.read_text(), "mine\n")
            self.assertEqual((MaskView(session) / env.with_name("env")).read_text(), "mine\n")

    def test_mask_04_a_new_file_is_hidden_in_both_sessions_of_a_project_and_after_the_end_of_one(self):
        (self.project / "sub").mkdir()
        glob = f"{self.project}/**/.env*"
        there = {"name": "second", "cwd": self.project / "sub", "options": ("-C", str(self.project)), "waits": True}
        with (self.session(globs=[glob], name="first") as first,
              self.session(globs=[glob], script="echo ready > sub/.ready; exec sleep 1000", **there) as second):
            env = make(self.project / ".env")
            MaskView(first).wait_until_hidden(env)
            MaskView(second).wait_until_hidden(env)
            self.machine.run("stop", "first")
            self.assertTrue(MaskView(second).hides(env))
            replace(env, SECRET)
            MaskView(second).wait_until_hidden(env)

    def test_after_more_events_than_the_kernel_keeps_all_is_looked_at_again(self):
        with open("/proc/sys/fs/inotify/max_queued_events", encoding="ascii") as setting:
            queue = int(setting.read())
        crowd = self.project / "crowd"
        crowd.mkdir()
        with self.session() as session:
            view = MaskView(session)
            session.supervisor.send_signal(signal.SIGSTOP)
            for number in range(queue // 2 + 1):
                os.close(os.open(crowd / "x", os.O_CREAT | os.O_WRONLY))
                (crowd / "x").rename(crowd / f"y{number % 10}")
            env = make(self.project / "late/.env")
            session.supervisor.send_signal(signal.SIGCONT)
            view.wait_until_hidden(env)
            view.wait_until_hidden(make(self.project / "late/.env.local"))

    def test_it_is_told_in_the_status_and_in_the_receipt(self):
        with self.session() as session:
            env = make(self.project / ".env")
            told = f"'{env}' is new and matches --hide: '{self.project}/**/.env*': hidden"
            record = self.machine.runtime / "agentctl" / session.known["id"]
            wait_for_directory_change(record, lambda: told in session.status()["warnings"], 10, "the status to tell")
            self.assertEqual(session.status()["state"], "running")
            env.unlink()
            make(env)
            MaskView(session).wait_until_hidden(env)
            self.machine.run("stop", session.name)
            done = session.finish()
            self.assertEqual(done.stderr.count(told), 1, done.stderr)
        self.assertEqual(self.machine.receipts()[0]["restored"], [f"{told} (2 times)"])

    def test_nothing_is_left_on_the_host(self):
        before = listing(self.project)
        with self.session() as session:
            env = make(self.project / ".env")
            MaskView(session).wait_until_hidden(env)
            env.unlink()
        self.assertEqual(listing(self.project), before)

    def test_of_what_is_made_while_a_session_starts_nothing_is_missed(self):
        for attempt in range(3):
            stop = threading.Event()

            def make_files(top=self.project / str(attempt), stop=stop):
                for number in itertools.count():
                    if stop.is_set():
                        return
                    make(top / f"{number}/.env")

            maker = threading.Thread(target=make_files)
            maker.start()
            try:
                with self.session(globs=["**/.env"]) as session:
                    stop.set()
                    maker.join()
                    view = MaskView(session)
                    for env in self.project.glob("*/*/.env"):
                        view.wait_until_hidden(env)
            finally:
                stop.set()
                maker.join()

    def test_a_new_file_that_cannot_be_hidden_ends_the_session(self):
        with self.session() as session:
            supervisor = str(session.known["pids"]["supervisor"])
            argv = ["strace", "-f", "-o", "/dev/null", "--inject=move_mount:error=EPERM", "-p", supervisor]
            with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as strace:
                self.assertIn("attached", strace.stderr.readline())
                make(self.project / ".env")
                done = session.finish()
                strace.terminate()
            self.assertEqual(done.returncode, 125, done.stderr)
        self.assertEqual(self.machine.receipts()[0]["cause"], "mask-lost")


class Refusals(unittest.TestCase):
    def test_mask_08_a_glob_that_leads_to_too_many_directories_is_refused_with_a_remedy(self):
        with Machine() as machine:
            many = machine.project / "many"
            for number in range(16384):
                (many / str(number)).mkdir(parents=True)
            done = machine.run("start", "--hide", "./many/*/*.key", "--", "true")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("many/*/*.key': leads to more than 16384 directories", done.stderr)
            self.assertIn("hint: hide the directory", done.stderr)
            self.assertEqual(machine.start("echo runs", "--hide", "./many").stdout, "runs\n")

    def test_watches_that_are_used_up_are_a_refusal_with_a_remedy(self):
        with Machine() as machine:
            argv = ["strace", "-o", "/dev/null", "--inject=inotify_add_watch:error=ENOSPC"]
            argv += machine.start_argv("--hide", "**/.env", "--", "true")
            done = subprocess.run(argv, capture_output=True, text=True, env=machine.environment, cwd=machine.project)
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn("fs.inotify.max_user_watches", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
