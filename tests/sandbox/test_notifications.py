# SPDX-License-Identifier: Apache-2.0
"""What the login-session service tells the desktop, seen by a notification server on the same bus."""
import os
import re
import signal
import unittest

import processes
from detached_session import WAIT, DetachedSession
from logged_service import LoggedCase
from manager_service import BUS
from mask_view import replace
from notification_server import NotificationServer
from waiting import wait_for_end

HOG = "exec python3 -c 'held = []\nwhile True: held.append(bytes(1 << 20) + b\"x\")'"


class NotificationCase(LoggedCase):
    def setUp(self):
        super().setUp()
        self.service = self.serve()

    def desktop(self):
        server = NotificationServer(BUS)
        self.addCleanup(server.__exit__)
        return server

    def detached(self, script, *options, name="s"):
        return DetachedSession(self.machine, script, *options, name=name)

    def end(self, script, name="s", **popen_options):
        """A detached session that ends by itself at once."""
        done = self.machine.run("start", "--detach", "--name", name, "--", "sh", "-c", script, **popen_options)
        self.assertEqual(done.stdout, f"{name}\n", done.stderr)

    def end_one(self, desktop, name="last"):
        """A session whose end is told. What came before it has come by then."""
        project = self.machine.home / "beside"
        project.mkdir()
        self.end("exit 0", name, cwd=project)
        return desktop.wait_until(lambda: next((call for call in desktop.calls if name in call.title + call.body), None))


class Told(NotificationCase):
    def test_how_a_detached_session_ended(self):
        desktop = self.desktop()
        self.end("exit 3")
        told = desktop.wait_for("Session ended: s")
        self.assertRegex(told.body, r"^exited with 3 after \S+\n" + re.escape(str(self.machine.project)) + "$")
        self.assertEqual((told.application, told.replaces, told.actions, told.timeout), ("agentctl", 0, {}, -1))
        self.assertEqual(told.hints, {"urgency": 1, "desktop-entry": "agentctl"})

    def test_the_name_of_a_project_brings_no_markup(self):
        self.machine.project = self.machine.home / '<img src="x">&amp;\x1b[31m'
        self.machine.project.mkdir()
        desktop = self.desktop()
        self.end("exit 0")
        told = desktop.wait_for("Session ended: s")
        self.assertIn('/&lt;img src="x"&gt;&amp;amp;\\x1b[31m', told.body)
        self.assertNotIn("<", told.body)

    def test_that_the_memory_limit_killed_a_session_also_to_who_sits_before_it(self):
        desktop = self.desktop()
        done = self.machine.start(HOG, "--name", "s", "--memory-max", "64M")
        self.assertEqual(done.returncode, 137, done.stderr)
        told = desktop.wait_for("Session killed: s")
        self.assertRegex(told.body, r"^killed by the memory limit: peak 6\d\.\dM of 64\.0M after ")
        self.assertEqual(told.hints["urgency"], 2)
        self.assertEqual(told.actions, {})

    def test_that_the_time_limit_ended_a_session(self):
        desktop = self.desktop()
        self.machine.start(WAIT, "--name", "s", "--runtime-max", "300ms")
        self.assertRegex(desktop.wait_for("Session ended: s").body, "^ended by the time limit of 300ms after ")

    def test_that_a_supervisor_was_killed(self):
        desktop = self.desktop()
        with self.detached(WAIT) as session:
            os.kill(session.supervisor, signal.SIGKILL)
            self.assertRegex(desktop.wait_for("Session ended: s").body, "^ended without its supervisor, which was killed, ")

    def test_that_a_hidden_file_was_replaced_and_hidden_again(self):
        desktop = self.desktop()
        secret = self.machine.project / ".env"
        secret.write_text("old")
        with self.machine.session(":", "--hide", ".env"):
            replace(secret, "new")
            told = desktop.wait_for("Warning in s")
        self.assertEqual(told.body, f"'{secret}' was replaced on the host: hidden again")
        self.assertEqual((told.actions, told.hints["urgency"]), ({"stop": "Stop session"}, 1))

    def test_many_at_once_in_few_words(self):
        desktop = self.desktop()
        ready, gate = self.pipe(self.machine), self.machine.project / ".gate"
        os.mkfifo(gate)
        names = [f"s{number}" for number in range(5)]
        sessions = [self.detached("echo x > .ready; read line < .gate; exit 0", name=name) for name in names]
        for session in sessions:
            self.addCleanup(session.__exit__)
        heard = ""
        while len(heard) < 2 * len(names):
            heard += self.hear(ready)
        os.close(os.open(gate, os.O_WRONLY))  # all of them read the end of it

        def count():
            return sum(int(call.title.split()[0]) if call.title.endswith(" sessions ended") else 1 for call in desktop.calls)

        desktop.wait_until(lambda: count() == len(names), 60)
        self.assertLessEqual(len(desktop.calls), 3, desktop.calls)
        everything = " ".join(call.title + call.body for call in desktop.calls)
        for name in names:  # of a sum, four are named
            self.assertTrue(name in everything or "and 1 more" in everything, everything)


class Buttons(NotificationCase):
    def warned(self, desktop, **options):
        secret = self.machine.project / ".env"
        secret.write_text("old")
        session = self.detached(WAIT, "--hide", ".env", **options)
        self.addCleanup(session.__exit__)
        replace(secret, "new")
        return session, desktop.wait_for(f"Warning in {session.name}")

    def test_stop_stops_the_session(self):
        desktop = self.desktop()
        session, told = self.warned(desktop)
        desktop.press(told, "stop")
        session.wait_for_end()
        receipt, = self.machine.receipts()
        self.assertEqual((receipt["name"], receipt["cause"]), ("s", "stopped"))
        self.end_one(desktop)
        self.assertEqual(desktop.titles(), ["Warning in s", "Session ended: last"])

    def test_nothing_else_stops_it(self):
        desktop = self.desktop()
        session, told = self.warned(desktop)
        desktop.press(told, "default")
        told.number += 1  # of another program
        desktop.press(told, "stop")
        self.end_one(desktop)
        self.assertTrue(session.members())
        self.assertEqual(self.machine.status("s")["state"], "running")

    def test_a_session_has_one_notification_at_a_time(self):
        desktop = self.desktop()
        session, told = self.warned(desktop)
        os.kill(session.supervisor, signal.SIGKILL)
        ended = desktop.wait_for("Session ended: s")
        self.assertEqual(ended.replaces, told.number)
        self.assertEqual(desktop.shown, {told.number: ended})

    def test_what_offers_to_stop_a_session_goes_with_it(self):
        desktop = self.desktop()
        _, told = self.warned(desktop)
        self.machine.run("stop", "s")
        desktop.wait_until(lambda: told.number not in desktop.shown, what="the notification to be taken away")
        self.end_one(desktop)
        self.assertEqual(desktop.titles(), ["Warning in s", "Session ended: last"])


    def test_no_button_is_left_that_nobody_hears(self):
        desktop = self.desktop()
        _, told = self.warned(desktop)
        self.service.end(signal.SIGTERM)
        desktop.wait_until(lambda: told.number not in desktop.shown, what="the notification to be taken away")


class NotTold(NotificationCase):
    def test_an_ordinary_end_to_who_sits_before_it(self):
        desktop = self.desktop()
        for script in ("exit 0", "exit 1", "kill -9 $$"):
            self.machine.start(script, "--name", "seen")
        self.end_one(desktop)
        self.assertEqual(desktop.titles(), ["Session ended: last"])

    def test_a_stop_and_a_start_that_failed(self):
        desktop = self.desktop()
        with self.detached(WAIT):
            self.machine.run("stop", "s")
        self.assertNotEqual(self.machine.run("start", "--detach", "--name", "t", "--", "/no/such/program").returncode, 0)
        self.end_one(desktop)
        self.assertEqual(desktop.titles(), ["Session ended: last"])


class NoDesktop(NotificationCase):
    def test_without_a_notification_server_the_service_goes_on_and_a_later_one_is_used(self):
        self.end("exit 0", "early")
        self.service.wait_until_told("no notification is shown")
        desktop = self.desktop()
        self.end_one(desktop)
        self.assertEqual(desktop.titles(), ["Session ended: last"])
        self.assertEqual(self.service.errors().count("no notification is shown"), 1)

    def test_a_server_that_does_not_answer_holds_up_nothing(self):
        self.desktop()  # nobody reads
        for name in ("one", "two"):
            self.end("exit 0", name)
        processes.wait_for_all_to_end(lambda: [session["pids"]["supervisor"] for session in self.machine.sessions()], 10)
        self.service.ping()
        self.assertEqual(self.service.end(signal.SIGTERM), 0)

    def test_the_numbers_of_a_server_that_is_gone_are_not_used_with_the_next(self):
        first = NotificationServer(BUS)
        with self.detached(WAIT, "--hide", ".env") as session:
            (self.machine.project / ".env").write_text("new")
            told = first.wait_for("Warning in s")
            first.__exit__()
            second = self.desktop()
            os.kill(session.supervisor, signal.SIGKILL)
            ended = second.wait_for("Session ended: s")
        self.assertEqual((told.replaces, ended.replaces), (0, 0))
        wait_for_end(session.supervisor)


if __name__ == "__main__":
    unittest.main(verbosity=2)
