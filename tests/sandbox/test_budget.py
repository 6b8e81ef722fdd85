# SPDX-License-Identifier: Apache-2.0
"""The budget of all sessions, on the slice above them; and that a session gets no sessions of its own."""
import os
import pathlib
import subprocess
import unittest

import processes
from exhaustion import FORKS
from kernel_files import IS_UNIFIED, limits_of
from machine import Machine

SLICE = "app-agentctl.slice"


def machines_memory():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class Budget(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.policy = self.machine.home / ".config/agentctl/policy.toml"
        self.policy.parent.mkdir(parents=True)

    def slice_limits(self, session):
        return limits_of(SLICE, f"agentctl-private-{session.known['id']}" if self.machine.is_private else "")

    def budget(self, *lines):
        self.policy.write_text("\n".join(("[budget]", *lines, "")))

    def assert_refused(self, message, status):
        done = self.machine.start("touch ran")
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertFalse((self.machine.project / "ran").exists())
        self.assertEqual(self.machine.records(), [])

    def test_three_quarters_of_the_memory_are_the_default(self):
        self.budget('memory-max = "infinity"')
        with self.machine.session(":") as session:
            self.assertIsNone(self.slice_limits(session)["memory-max"])
        self.policy.unlink()
        with self.machine.session(":") as session:
            share = machines_memory() * 3 // 4
            self.assertAlmostEqual(self.slice_limits(session)["memory-max"], share, delta=1 << 20)

    def test_what_the_policy_says_is_in_the_kernels_files_of_the_slice(self):
        self.budget('memory-max = "2G"', 'cpu-quota = "150%"', "tasks-max = 500")
        wanted = {"memory-max": 2 << 30, "cpu-quota": 1_500_000, "tasks-max": 500}
        with self.machine.session(":") as session:
            found = self.slice_limits(session)
            self.assertEqual({knob: found[knob] for knob in wanted}, wanted)
            self.assertEqual(pathlib.Path(session.cgroup).parent.name, SLICE)
            self.assertEqual(session.status()["warnings"], ["network: shared with the host"])
        self.budget('memory-max = "3G"', "tasks-max = 400")
        with self.machine.session(":") as session:
            found = self.slice_limits(session)
            self.assertEqual((found["memory-max"], found["tasks-max"]), (3 << 30, 400))

    def test_a_session_cannot_use_more_than_the_budget_whatever_its_own_limit(self):
        self.budget("tasks-max = 60")
        done = self.machine.start(FORKS, "--tasks-max", "400")
        made, _, why = done.stdout.strip().partition(" ")
        self.assertEqual(why, "Resource temporarily unavailable", done.stderr)
        self.assertLess(int(made), 60)

    def test_explain_shows_it_with_its_origin(self):
        self.budget('memory-max = "2G"', "tasks-max = 500")
        text = self.machine.run("explain").stdout
        self.assertRegex(text, r"\[budget\]\nmemory-max +2G +.*policy.toml:2:14\ntasks-max +500 +.*policy.toml:3:13\n")
        self.policy.unlink()
        self.assertRegex(self.machine.run("explain").stdout, r"\[budget\]\nmemory-max .* built-in default\n")

    def test_a_projects_file_must_not_set_it_nor_a_profile(self):
        own = self.machine.project / ".agentctl.toml"
        own.write_text('[budget]\nmemory-max = "1G"\n')
        in_project = r"\.agentctl\.toml:2:14: error: a project's file must not set the budget of all sessions"
        self.assert_refused(in_project, 3)
        trusted = self.machine.run("trust", str(self.machine.project))
        self.assertEqual(trusted.returncode, 0, trusted.stderr)
        self.assert_refused(in_project, 3)
        own.unlink()
        profiles = self.machine.home / ".config/agentctl/profiles"
        profiles.mkdir()
        (profiles / "sh.toml").write_text('[agent]\ncommand = ["sh"]\n[budget]\ntasks-max = 9000\n')
        self.assert_refused(r"sh\.toml:4:13: error: a profile must not set the budget of all sessions", 3)

    def test_a_budget_that_cannot_be_is_refused_at_its_place(self):
        self.budget('memory-max = "1M"', "cpu-weight = 5", 'tasks-max = "many"')
        self.assert_refused(r"policy\.toml:3:1: error: unknown key 'cpu-weight' in \[budget\]", 3)
        self.budget('memory-max = "1M"')
        self.assert_refused(r"policy\.toml:2:14: error: 'memory-max' must be at least 16.0M", 3)

    def test_a_budget_that_this_kernel_cannot_keep_refuses_the_start(self):
        if IS_UNIFIED:  # v2 has memory.high
            return
        self.budget('memory-high = "1G"')
        self.assert_refused("^agentctl: the budget of all sessions is not enforced: memory-high: asked 1.0G, but "
                            r"memory.high says absent \(cgroup v1 cannot enforce it\)\nhint: boot with cgroup v2", 125)

    def test_a_session_inside_a_session_is_refused(self):
        for options in ("", "--no-limits", "--manager private"):
            program = self.machine.agentctl
            done = self.machine.start(f"{program} start {options} -- touch ran", "--ro", program)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("agentctl: cannot start a session inside a session\nhint: start it from outside", done.stderr)
            self.assertFalse((self.machine.project / "ran").exists())

    def test_a_start_from_a_sessions_scope_is_refused_although_it_left_the_sandbox(self):
        with self.machine.session(":") as session:
            def enter():
                pathlib.Path(session.cgroup, "cgroup.procs").write_text(str(os.getpid()))
            environment = {**self.machine.environment, "AGENTCTL": "1"}
            done = subprocess.run(self.machine.start_argv("--", "touch", "ran"), preexec_fn=enter, env=environment,
                                  cwd=self.machine.project, timeout=30, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("cannot start a session inside a session", done.stderr)
            self.assertFalse((self.machine.project / "ran").exists())
            self.assertEqual(processes.arguments(session.leader), ["sleep", "1000"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
