# SPDX-License-Identifier: Apache-2.0
"""probe: it passes where the walls stand, fails where one is missing, and leaves nothing of what it planted."""
import json
import os
import pathlib
import signal
import unittest

import landlock
import processes
from ordinary_user import OrdinaryUser
from probe_machine import ProbeMachine, by_verdict, planted_names
from waiting import wait_for_directory_change

# What a widely read article runs an agent in.
ARTICLE_LINE = 'bwrap --ro-bind / / --bind "$PWD" "$PWD" --unshare-pid --tmpfs /tmp'
# What that line was shown to let through.
LEAKS = {"home-secret", "variable", "abstract-stream", "socket-stream", "tiocsti", "key-read", "loopback-tcp", "unshare-user"}
# What is tried only in a project that the probe has made, in a session that does not work for somebody, and for a program that
# has a file.
ONLY_FRESH = {
    "hidden-file", "hidden-key", "replaced-file", "deleted-file", "link-out", "hard-link", "hook-write", "hook-make", "git-config",
    "git-config-replace", "git-attributes", "git-commondir", "git-case", "git-rename", "git-exchange", "socket-project", "tasks",
    "zombies", "memory-limit", "survivor", "program-write"}
WAITS = "echo ready > .ready; exec sleep 1000"


class Probe(unittest.TestCase):
    def setUp(self):
        self.before = planted_names()
        self.machine = ProbeMachine()
        self.addCleanup(self.machine.__exit__)

    def check_nothing_is_left(self, machine=None):
        machine = machine or self.machine
        self.assertEqual(planted_names(), self.before)
        self.assertEqual([path.name for path in machine.home.iterdir() if "agentctl-probe" in path.name], [])
        self.assertEqual([path.name for path in machine.runtime.iterdir() if "agentctl-probe" in path.name], [])
        self.assertEqual(processes.with_variable("HOME", str(machine.home)), [])

    def assert_passed(self, done, result):
        failed = {verdict: items for verdict, items in by_verdict(result).items() if verdict in ("FAIL", "VOID")}
        self.assertEqual(failed, {}, done.stderr)
        self.assertEqual((done.returncode, result["passed"]), (0, True))

    def test_every_wall_of_a_default_sandbox_stands(self):
        done, result = self.machine.probe()
        self.assert_passed(done, result)
        self.assertGreater(result["verdicts"]["pass"], 60)
        names = set() if landlock.has_scopes() else {"abstract-stream", "abstract-datagram", "abstract-packet"}
        self.assertEqual(set(by_verdict(result)["ALLOWED"]), {"loopback-tcp", "loopback-tcp6", "loopback-udp"} | names)
        self.check_nothing_is_left()

    def test_without_the_host_s_network_nothing_is_even_allowed(self):
        done, result = self.machine.probe("--net", "none", "--memory-max", "128M", "--tasks-max", "200")
        self.assert_passed(done, result)
        self.assertEqual(result["verdicts"]["allowed"], 0)
        passed = by_verdict(result)["PASS"]
        self.assertLessEqual({"memory-limit", "tasks", "zombies", "loopback-tcp", "abstract-stream"}, set(passed))
        for item in ("tasks", "zombies"):
            self.assertLessEqual(int(passed[item].split()[-1]), 200)

    def test_every_default_profile_passes(self):
        listed = self.machine.run("profile", "list").stdout.split("\n")[1:]
        profiles = [line.split()[0] for line in listed if line.strip()]
        self.assertGreater(len(profiles), 8)
        for profile in profiles:
            with self.subTest(profile=profile):
                self.assert_passed(*self.machine.probe("-p", profile))

    def test_without_a_sandbox_whatever_can_be_tried_fails(self):
        done, result = self.machine.probe("--self-test")
        self.assertEqual((done.returncode, result["passed"]), (1, False))
        self.assertEqual(set(by_verdict(result)) - {"FAIL", "SKIP"}, set(), by_verdict(result).get("VOID"))
        self.assertGreater(result["verdicts"]["fail"], 60)
        self.check_nothing_is_left()

    def test_the_article_s_line_lets_through_what_was_found_and_more(self):
        done, result = self.machine.probe("--against", ARTICLE_LINE)
        failed = set(by_verdict(result)["FAIL"])
        self.assertEqual(LEAKS - failed, set(), done.stderr)
        self.assertEqual(by_verdict(result).get("VOID"), None)
        self.assertEqual(done.returncode, 1)
        self.assertLessEqual({"outside-write", "home-make", "signal"}, set(by_verdict(result)["PASS"]))
        self.check_nothing_is_left()

    def test_a_running_session_has_the_same_verdicts_item_by_item(self):
        for mode in ("host", "none"):
            with self.subTest(mode=mode), self.machine.session(WAITS, "--net", mode, waits=True) as session:
                done = self.machine.run("probe", "--json", "s", seconds=120)
                inside = json.loads(done.stdout)
                self.assert_passed(done, inside)
                self.assertEqual(session.status()["state"], "running")
                fresh = self.machine.probe("--net", mode)[1]
                ours, others = ({item["id"]: item["verdict"] for item in result["items"]} for result in (fresh, inside))
                differing = {item: others[item] for item in ours if ours[item] != others[item]}
                self.assertEqual(set(differing) - ONLY_FRESH, set())
                self.assertEqual(set(differing.values()), {"SKIP"})
                self.assertGreater(inside["verdicts"]["pass"], 100)

    def test_a_wall_that_the_user_opens_is_allowed_and_one_that_nobody_opened_fails(self):
        (self.machine.home / ".ssh").mkdir()
        (self.machine.home / ".ssh/id").write_text("key")
        opened = by_verdict(self.machine.probe("--ro", str(self.machine.home / ".ssh"))[1])
        self.assertIn("logins", opened["ALLOWED"])
        passed = by_verdict(self.machine.probe("--env", "AGENTCTL_PROBE_API_TOKEN")[1])
        self.assertEqual(set(passed["FAIL"]), {"variable", "environments"})

    def test_an_ordinary_user_s_sandbox_stands_too(self):
        with OrdinaryUser() as machine:
            done = machine.run("probe", "--json", "--no-limits", seconds=120)
            result = json.loads(done.stdout)
            failed = {verdict: items for verdict, items in by_verdict(result).items() if verdict in ("FAIL", "VOID")}
            self.assertEqual(failed, {}, done.stderr)
            self.assertGreater(result["verdicts"]["pass"], 50)
            done = machine.run("probe", "--json", "--self-test", seconds=120)
            self.assertEqual(set(by_verdict(json.loads(done.stdout))) - {"FAIL", "SKIP"}, set())
            self.check_nothing_is_left(machine)

    def test_ctrl_c_ends_it_and_takes_everything_along(self):
        process = self.machine.popen("probe", "--json")
        wait_for_directory_change(self.machine.home, lambda: list(self.machine.home.glob(".agentctl-probe-*.key")), 20, "canary")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.check_nothing_is_left()

    def test_what_cannot_be_meant_is_refused(self):
        for words, message in ((["--self-test", "s"], "takes one of"), (["s", "--net", "none"], "--net must not stand beside"),
                               (["--against", ""], "--against must be followed"), (["--against", "bwrap | sh"], "shell operator"),
                               (["--no-limits", "--tasks-max", "5"], "--no-limits must not stand beside")):
            done = self.machine.run("probe", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, message)
        done = self.machine.run("probe", "nosuch")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "session 'nosuch' not found")

    def test_a_sandbox_that_does_not_come_up_is_an_error_and_no_result(self):
        done = self.machine.run("probe", "--against", "bwrap --no-such-option")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "nothing could be tried inside: bwrap: .*no-such-option")

    def test_the_table_and_the_list_are_for_people(self):
        done = self.machine.run("probe", "--self-test", seconds=120)
        self.assertRegex(done.stdout, r"(?m)^FAIL +A1 +tiocsti ")
        self.assertRegex(done.stdout, r"(?m)^    remedy: ")
        self.assertNotIn("\033", done.stdout)
        listed = self.machine.run("probe", "--list")
        self.assertEqual(listed.returncode, 0)
        self.assertGreater(len(listed.stdout.splitlines()), 60)
        self.assertRegex(listed.stdout, r"(?m)^E4 .* exchanged .* outside")

    def test_what_has_no_item_names_a_test_that_is_there(self):
        listed = json.loads(self.machine.run("probe", "--list", "--json").stdout)
        source = pathlib.Path(__file__).resolve().parents[2]
        self.assertGreater(len(listed["untried"]), 5)
        missing = [row["test"] for row in listed["untried"] if row["test"] and not (source / row["test"]).is_file()]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
