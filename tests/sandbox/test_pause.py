# SPDX-License-Identifier: Apache-2.0
"""pause and resume: the whole session stands still and goes on, and nothing is lost, whatever happens meanwhile."""
import os
import pathlib
import select
import signal
import socket
import unittest

import processes
from machine import Machine
from mask_view import MaskView, replace
from waiting import wait_until_frozen, wait_until_gone

# Counts without end, a line each time, and says now and then that it goes on.
COUNTER = """exec python3 -c '
import os
log = os.open("count", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
ready = os.open(".ready", os.O_WRONLY)
number = 0
os.write(ready, b"counting\\n")
while True:
    number += 1
    os.write(log, b"%d\\n" % number)
    if number % 2000 == 0:
        os.write(ready, b"on\\n")
'"""
POLITE = "trap 'echo asked > asked; exit 7' TERM; echo ready > .ready; while :; do sleep 1000 & wait $!; done"
DEAF = "trap 'echo asked > .ready' TERM; echo ready > .ready; while :; do sleep 1000 & wait $!; done"


class Pause(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def do(self, *words):
        done = self.machine.run(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def refuse(self, words, message, status=1):
        done = self.machine.run(*words)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, message)

    def frozen(self, session):
        return "frozen 1" in pathlib.Path(session.cgroup, "cgroup.events").read_text()

    def record(self, session):
        return (self.machine.runtime / "agentctl" / session.known["id"] / "record").read_text()

    def test_a_paused_session_stands_still_and_uses_no_cpu(self):
        with self.machine.session(COUNTER, "--cpu-quota", "infinity", waits=True) as session:
            self.do("pause", "s")
            self.assertEqual(pathlib.Path(session.cgroup, "cgroup.freeze").read_text(), "1\n")
            self.assertTrue(self.frozen(session))
            self.assertIn("STATE=frozen\n", self.record(session))
            first, count = session.status(), (self.machine.project / "count").read_text()
            self.do("pause", "s")
            second = session.status()
            self.assertEqual([first["state"], second["state"]], ["frozen", "frozen"])
            self.assertEqual(first["usage"]["cpu_usec"], second["usage"]["cpu_usec"])
            self.assertEqual((self.machine.project / "count").read_text(), count)

    def test_a_resumed_session_goes_on_where_it_stood(self):
        with self.machine.session(COUNTER, waits=True) as session:
            self.do("pause", "s")
            while select.select([session.reader], [], [], 0)[0]:
                os.read(session.reader, 4096)
            self.do("resume", "s")
            self.assertIn("on\n", session.hear())
            self.assertEqual(session.status()["state"], "running")
            self.assertIn("STATE=running\n", self.record(session))
            self.do("resume", "s")

    def test_fifty_rounds_lose_nothing(self):
        with self.machine.session(COUNTER, "--cpu-quota", "20%", waits=True) as session:
            leader = session.leader
            for _ in range(50):
                self.do("pause", "s")
                self.assertTrue(self.frozen(session))
                self.do("resume", "s")
            session.hear()
            self.assertEqual(session.status()["pids"]["leader"], leader)
            self.assertEqual(self.machine.run("stop", "--kill", "s").returncode, 0)
            numbers = (self.machine.project / "count").read_text().split("\n")[:-1]
            self.assertEqual(numbers, [str(number) for number in range(1, len(numbers) + 1)])
            self.assertGreater(len(numbers), 2000)

    def test_several_are_paused_by_one_command_and_the_others_are_not(self):
        with self.machine.session(":", name="one") as one:
            other = self.machine.home / "other"
            other.mkdir()
            with self.machine.session(":", name="two", cwd=other) as two:
                self.do("pause", "one", "two")
                self.assertEqual([self.frozen(one), self.frozen(two)], [True, True])
                self.do("resume", "two")
                self.assertEqual([self.frozen(one), self.frozen(two)], [True, False])

    def test_a_paused_session_is_stopped_with_its_grace(self):
        with self.machine.session(POLITE, waits=True) as session:
            session.known
            self.do("pause", "s")
            self.do("stop", "s")
            self.assertEqual(session.finish().returncode, 7)
            self.assertTrue((self.machine.project / "asked").exists())
            self.assertEqual([receipt["cause"] for receipt in self.machine.receipts()], ["stopped"])
            wait_until_gone(session.cgroup, 2)

    def test_a_paused_session_is_killed_where_it_stands(self):
        with self.machine.session(POLITE, waits=True) as session:
            self.do("pause", "s")
            self.assertEqual(self.machine.run("stop", "--kill", "s").returncode, 0)
            self.assertEqual(session.finish().returncode, 137)
            self.assertFalse((self.machine.project / "asked").exists())
            self.assertEqual(self.machine.records(), [])

    def test_nothing_is_left_when_the_supervisor_of_a_paused_session_is_killed(self):
        with self.machine.session(COUNTER, waits=True) as session:
            session.known
            self.do("pause", "s")
            session.supervisor.kill()
            processes.wait_for_all_to_end(lambda: processes.members(session.cgroup), 2)
            self.machine.run("status")
            wait_until_gone(session.cgroup, 2)
            self.assertEqual(self.machine.records(), [])

    def test_the_time_that_it_is_paused_does_not_count_against_the_limit(self):
        with self.machine.session(POLITE, "--runtime-max", "1s", waits=True) as session:
            self.do("pause", "s")
            pidfd = os.pidfd_open(session.supervisor.pid)
            self.addCleanup(os.close, pidfd)
            self.assertEqual(select.select([pidfd], [], [], 1.5)[0], [], "it ended although it was paused")
            self.assertTrue(self.frozen(session))
            self.do("resume", "s")
            self.assertEqual(session.finish().returncode, 124)

    def test_a_mask_is_put_back_without_a_thaw(self):
        env = self.machine.project / ".env"
        env.write_text("OLD")
        with self.machine.session(":", "--hide", ".env") as session:
            view = MaskView(session)
            self.do("pause", "s")
            replace(env, "NEW")
            view.wait_until_hidden(env)
            processes.wait_until(self.machine.runtime / "agentctl" / session.known["id"],
                                 lambda: "was replaced on the host" in self.record(session), 5, "the warning")
            self.assertTrue(self.frozen(session))
            self.assertEqual(session.status()["state"], "frozen")
            self.do("resume", "s")
            self.assertFalse(self.frozen(session))
            self.assertTrue(view.hides(env))

    def test_what_somebody_else_thawed_is_told_and_can_be_paused_again(self):
        with self.machine.session(":") as session:
            self.do("pause", "s")
            pathlib.Path(session.cgroup, "cgroup.freeze").write_text("0")
            status = session.status()
            self.assertEqual(status["state"], "running")
            self.assertIn("paused, but somebody thawed it", status["warnings"])
            self.do("pause", "s")
            self.assertTrue(self.frozen(session))

    def test_what_somebody_else_froze_is_shown_and_can_be_resumed(self):
        with self.machine.session(":") as session:
            pathlib.Path(session.cgroup, "cgroup.freeze").write_text("1")
            wait_until_frozen(session.cgroup)
            self.assertEqual(session.status()["state"], "frozen")
            self.do("resume", "s")
            self.assertFalse(self.frozen(session))

    def test_a_session_that_is_ending_is_not_paused(self):
        with self.machine.session(DEAF, waits=True) as session:
            session.known
            session.supervisor.send_signal(signal.SIGTERM)
            self.assertEqual(session.hear(), "asked\n")
            self.refuse(("pause", "s"), "^agentctl: 's': is ending\n$")
            self.assertFalse(self.frozen(session))
            self.assertEqual(self.machine.run("stop", "--kill", "s").returncode, 0)

    def test_a_session_without_a_cgroup_of_its_own_is_not_paused(self):
        self.machine.is_private = False
        with self.machine.session(":", "--no-limits") as session:
            self.refuse(("pause", "s"), "^agentctl: 's': cannot be paused: it has no cgroup .*\nhint: .*--no-limits\n$")
            self.assertEqual(session.status()["state"], "running")

    def test_a_session_suspended_with_ctrl_z_says_what_to_do_first(self):
        with self.machine.session(":") as session:
            session.known
            session.supervisor.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, session.supervisor.pid, os.WSTOPPED)
            self.refuse(("pause", "s"), "^agentctl: 's': it is suspended with Ctrl-Z.*\nhint: continue it with fg")
            session.supervisor.send_signal(signal.SIGCONT)
            self.do("pause", "s")

    def test_one_that_is_not_there_is_refused_before_any_is_paused(self):
        with self.machine.session(":") as session:
            self.refuse(("pause", "s", "nobody"), "^agentctl: session 'nobody' not found\n")
            self.refuse(("resume", "nobody"), "^agentctl: session 'nobody' not found\n")
            self.refuse(("pause",), "NAME is required", 2)
            self.assertFalse(self.frozen(session))

    def test_a_request_that_nobody_knows_is_refused_and_changes_nothing(self):
        with self.machine.session(":") as session:
            directory = self.machine.runtime / "agentctl" / session.known["id"]
            for words in (b"halt", b"pause now", b"stop", b"stop -1", b"\x1b[2J", b"x" * 16384):
                with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as control:
                    control.settimeout(5)
                    control.connect(str(directory / "control"))
                    control.send(words)
                    answer = control.recv(4096).decode()
                    self.assertRegex(answer, "^error the session does not know this request\nhint ")
            self.assertEqual(session.status()["state"], "running")
            self.assertFalse(self.frozen(session))


if __name__ == "__main__":
    unittest.main(verbosity=2)
