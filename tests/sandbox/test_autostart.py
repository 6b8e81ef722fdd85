# SPDX-License-Identifier: Apache-2.0
"""[[autostart]]: what the login-session service starts, once in the life of the user manager."""
import signal
import unittest

import processes
from detached_session import WAIT
from logged_service import LoggedCase
from manager_service import BUS
from notification_server import NotificationServer
from waiting import wait_for_file

PROFILE = f'[agent]\ncommand = ["sh", "-c", "umask > umask; {WAIT}"]\n'


class Autostart(LoggedCase):
    def setUp(self):
        super().setUp()
        self.marker = self.machine.runtime / "agentctl-autostarted"
        self.marker.unlink(missing_ok=True)  # of another test beside the same manager
        self.config = self.machine.home / ".config/agentctl"
        (self.config / "profiles").mkdir(parents=True)
        (self.config / "profiles/waits.toml").write_text(PROFILE)
        for name in ("one", "two"):
            (self.machine.home / "dev" / name).mkdir(parents=True)

    def policy(self, *entries):
        (self.config / "policy.toml").write_text("".join(f"[[autostart]]\n{entry}\n" for entry in entries))

    def wait_for_sessions(self, *projects):
        """Until the agent runs in each of them. Gives all sessions there are."""
        for name in projects:
            mask = self.machine.home / "dev" / name / "umask"
            wait_for_file(str(mask), 30)
            mask.unlink()
        return self.machine.sessions()

    def ids(self):
        return sorted(session["id"] for session in self.machine.sessions())

    def assert_starts_nothing(self, service):
        """What it begins by itself, it begins before what it is asked for."""
        before = self.ids()
        options = {"project": ("s", str(self.machine.project)), "command": ("as", ["sleep", "1000"])}
        _, name = service.bus.call("Start", "a{sv}", options)
        self.assertEqual(service.children(), [])
        self.assertEqual([session["name"] for session in self.machine.sessions() if session["id"] not in before], [name])
        self.machine.run("stop", name)

    def test_each_entry_is_a_detached_session_in_its_project(self):
        self.policy('project = "~/dev/one"\nprofile = "waits"', 'project = "$HOME/dev/two/"\nprofile = "waits"\nname = "second"')
        self.serve()
        sessions = {session["project"]: session for session in self.wait_for_sessions("one", "two")}
        one = sessions[str(self.machine.home / "dev/one")]
        two = sessions[str(self.machine.home / "dev/two")]
        self.assertEqual(two["name"], "second")
        for session in (one, two):
            self.assertEqual((session["profile"], session["parent"]["kind"], session["manager"]), ("waits", "manager", "user"))
            self.assertEqual(processes.parent(session["pids"]["supervisor"]), session["parent"]["pid"])

    def test_a_restart_of_the_service_starts_nothing_again_nor_what_was_stopped(self):
        self.policy('project = "~/dev/one"\nprofile = "waits"', 'project = "~/dev/two"\nprofile = "waits"\nname = "second"')
        first = self.serve()
        self.wait_for_sessions("one", "two")
        ids = self.ids()
        self.assertEqual(first.end(signal.SIGTERM), 0)
        self.assertEqual(self.ids(), ids, "the sessions outlive the service")
        second = self.serve()
        self.assert_starts_nothing(second)
        self.machine.run("stop", "second")
        second.end(signal.SIGKILL)
        self.assert_starts_nothing(self.serve())
        self.assertEqual(len(set(self.ids()) & set(ids)), 1)
        self.assertEqual(len(self.ids()), 1)

    def test_the_next_user_manager_starts_them_again_but_none_twice(self):
        self.policy('project = "~/dev/one"\nprofile = "waits"', 'project = "~/dev/two"\nprofile = "waits"\nname = "second"')
        first = self.serve()
        self.wait_for_sessions("one", "two")
        first.end(signal.SIGTERM)
        self.machine.run("stop", "second")
        ids = self.ids()
        self.marker.write_text(self.marker.read_text().replace(" ", " 9", 1))  # of one that began at another time
        second = self.serve()
        self.wait_for_sessions("two")
        self.assert_starts_nothing(second)
        self.assertEqual(len(self.ids()), 2)
        self.assertLess(set(ids), set(self.ids()))

    def test_a_failure_is_told_and_holds_up_no_other(self):
        self.policy('project = "~/gone"\nprofile = "waits"', 'project = "~/dev/one"\nprofile = "nosuch"',
                    'project = "~/dev/two"\nprofile = "waits"')
        with NotificationServer(BUS) as desktop:
            service = self.serve()
            session, = self.wait_for_sessions("two")
            self.assertEqual(session["project"], str(self.machine.home / "dev/two"))
            desktop.wait_until(lambda: "~/gone" in str(desktop.calls) and "~/dev/one" in str(desktop.calls))
        text = " ".join(call.title + "\n" + call.body for call in desktop.calls)
        self.assertIn("not started", text)
        self.assertRegex(service.errors(), r"autostart of ~/gone: cannot use '.*/gone' as the project: not found")
        self.assertRegex(service.errors(), r"autostart of ~/dev/one: profile 'nosuch' not found")
        self.assertRegex(service.errors(), r"autostart of ~/dev/one: hint: there are: ")

    def test_a_policy_with_mistakes_starts_nothing_until_it_is_put_right(self):
        self.policy('project = "~/dev/one"\nprofile = "waits"', 'profile = "waits"')
        with NotificationServer(BUS) as desktop:
            service = self.serve()
            told = desktop.wait_for(f"Session not started: {self.config}/policy.toml")
        self.assertIn("policy.toml:4:1: error: [[autostart]] must name a 'project'", told.body)
        self.assertEqual((service.children(), self.ids()), ([], []))
        service.end(signal.SIGTERM)
        self.policy('project = "~/dev/one"\nprofile = "waits"')
        self.serve()
        self.wait_for_sessions("one")

    def test_nobody_but_the_users_own_policy_starts_anything(self):
        own = self.machine.project / ".agentctl.toml"
        own.write_text('[[autostart]]\nproject = "~/dev/one"\n')
        refusal = r"\.agentctl\.toml:1:1: error: \[\[autostart\]\] must stand nowhere but in your own policy.toml"
        for done in (self.machine.start("true"), self.machine.run("trust", str(self.machine.project))):
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, refusal)
        own.unlink()
        (self.config / "profiles/sh.toml").write_text('[agent]\ncommand = ["sh"]\n[[autostart]]\nproject = "~/dev/one"\n')
        done = self.machine.start("true")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"sh\.toml:3:1: error: \[\[autostart\]\] must stand nowhere but in your own policy.toml")


if __name__ == "__main__":
    unittest.main(verbosity=2)
