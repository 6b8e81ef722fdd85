# SPDX-License-Identifier: Apache-2.0
"""Every way in which a session may end, and that nothing is left of it afterwards."""
import os
import signal
import subprocess
import unittest

import processes
from machine import Machine
from waiting import wait_for_end, wait_until_gone

# 200 processes that leave their session and their parent, and ignore what asks them to end.
CROWD = """
import os, signal
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
read_end, write_end = os.pipe()
def stay():
    os.write(write_end, b"x")
    while True: signal.pause()
for number in range(100):
    if os.fork() == 0:
        os.setsid()
        os.fork()
        stay()
there = 0
while there < 200: there += len(os.read(read_end, 200))
"""
CROWD_SCRIPT = f"exec python3 -c '{CROWD}\nopen(\".ready\", \"w\").write(\"ready\\n\")\nsignal.pause()'"
POLITE = "trap 'echo asked > asked; exit 7' TERM; echo ready > .ready; while :; do sleep 1000 & wait $!; done"
DEAF = "trap '' TERM HUP INT; echo ready > .ready; sleep 1000; :"


class TeardownCase(unittest.TestCase):
    def assert_nothing_left(self, machine, session, seconds=1.0):
        processes.wait_for_all_to_end(lambda: processes.members(session.cgroup), seconds)
        wait_until_gone(session.cgroup, seconds)
        processes.wait_for_all_to_end(machine.processes, seconds)

    def assert_clean(self, machine, session):
        self.assertEqual(machine.sessions(), [])
        self.assertEqual(machine.records(), [])
        self.assertEqual(processes.cgroups_named(session.known["id"]), [])
        self.assertEqual([name for name in os.listdir(machine.project) if name.startswith(".") and name != ".ready"], [])


class Crowd(TeardownCase):
    def test_sigkill_of_the_supervisor_ends_a_crowd_within_a_second(self):
        with Machine() as machine, machine.session(CROWD_SCRIPT, waits=True) as session:
            self.assertGreater(len(session.members()), 200)
            session.supervisor.kill()
            processes.wait_for_all_to_end(lambda: processes.members(session.cgroup), 1.0)
            processes.wait_for_all_to_end(machine.processes, 1.0)
            if not machine.is_private:
                wait_until_gone(session.cgroup, 2.0)  # by systemd; a private manager has died with the supervisor
            told = machine.run("status")
            self.assertEqual(told.returncode, 0)
            self.assertIn(f"'{session.name}' had lost its supervisor; swept", told.stderr)
            self.assertEqual(machine.run("status").stderr.count("swept"), 0)
            self.assert_clean(machine, session)

    def test_children_that_left_everything_die_when_the_agent_ends(self):
        script = CROWD_SCRIPT.replace("signal.pause()'", "open(\"go\").read()'")
        with Machine() as machine:
            os.mkfifo(machine.project / "go")
            with machine.session(script, waits=True) as session:
                self.assertGreater(len(session.members()), 200)
                (machine.project / "go").write_text("go")
                done = session.finish()
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_nothing_left(machine, session)
                self.assert_clean(machine, session)


class Endings(TeardownCase):
    def test_a_hangup_and_a_request_to_end_at_once_leave_the_agent_its_grace(self):
        script = ("trap 'echo asked > .ready; read line < go; echo done > said; exit 7' TERM; echo ready > .ready; "
                  "while :; do sleep 1000 & wait $!; done")
        with Machine() as machine:
            os.mkfifo(machine.project / "go")
            with machine.session(script, waits=True) as session:
                self.assertEqual(session.known["state"], "running")
                for number in (signal.SIGSTOP, signal.SIGHUP, signal.SIGTERM, signal.SIGCONT):  # as at a logout
                    session.supervisor.send_signal(number)
                self.assertEqual(session.hear(), "asked\n")
                (machine.project / "go").write_text("go\n")
                self.assertEqual(session.finish().returncode, 7)
                self.assertEqual((machine.project / "said").read_text(), "done\n")
                self.assert_nothing_left(machine, session)

    def ends(self, script, end, status, cause, **options):
        with Machine() as machine, machine.session(script, waits=True, **options) as session:
            session.known
            end(machine, session)
            done = session.finish()
            self.assertEqual(done.returncode, status, done.stderr)
            self.assert_nothing_left(machine, session)
            self.assert_clean(machine, session)
            self.assertEqual([receipt["cause"] for receipt in machine.receipts()], [cause])
            return done, (machine.project / "asked").exists()

    def signals(self, number):
        return lambda _, session: session.supervisor.send_signal(number)

    def test_term_hup_and_quit_ask_the_agent_first(self):
        for number, cause in ((signal.SIGTERM, "terminated"), (signal.SIGHUP, "hangup"), (signal.SIGQUIT, "terminated")):
            with self.subTest(signal=number):
                self.assertTrue(self.ends(POLITE, self.signals(number), 7, cause)[1])

    def test_int_without_a_terminal_interrupts_the_agent(self):
        script = "trap 'exit 9' INT; echo ready > .ready; while :; do sleep 1000 & wait $!; done"
        self.ends(script, self.signals(signal.SIGINT), 9, "interrupted")

    def test_a_second_term_does_not_wait_for_the_grace(self):
        def twice(machine, session):
            session.supervisor.send_signal(signal.SIGTERM)
            record = machine.runtime / "agentctl" / session.known["id"] / "record"
            processes.wait_until(record.parent, lambda: "STATE=stopping" in record.read_text(), 10, "the state 'stopping'")
            session.supervisor.send_signal(signal.SIGTERM)
        self.ends(DEAF, twice, 137, "terminated")

    def test_stop_asks_first_and_returns_when_nobody_is_left(self):
        def stop(machine, session):
            done = machine.run("stop", session.name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(session.members(), [])
        self.assertTrue(self.ends(POLITE, stop, 7, "stopped")[1])

    def test_stop_says_who_had_to_be_killed(self):
        def stop(machine, session):
            done = machine.run("stop", session.name, "--grace", "200ms")
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"had to kill sh ({session.leader})", done.stderr)
            self.assertEqual(session.members(), [])
        self.ends(DEAF, stop, 137, "stopped")

    def test_stop_kill_does_not_ask(self):
        def stop(machine, session):
            self.assertEqual(machine.run("stop", "--kill", session.name).returncode, 0)
        self.assertFalse(self.ends(POLITE, stop, 137, "stopped")[1])

    def test_a_second_stop_with_kill_shortens_the_first(self):
        def stop_twice(machine, session):
            first = machine.popen("stop", session.name, "--grace", "infinity")
            record = machine.runtime / "agentctl" / session.known["id"] / "record"
            processes.wait_until(record.parent, lambda: "STATE=stopping" in record.read_text(), 10, "the state 'stopping'")
            self.assertEqual(machine.run("stop", "--kill", session.name).returncode, 0)
            first.communicate(timeout=10)
            self.assertEqual(first.returncode, 0)
        self.ends(DEAF, stop_twice, 137, "stopped")

    def test_a_second_stop_with_less_patience_shortens_the_grace_of_the_first_and_a_patient_one_does_not_lengthen_it(self):
        with Machine() as machine, machine.session(DEAF, waits=True) as session:
            first = machine.popen("stop", "--grace", "100s", session.name)
            record = machine.runtime / "agentctl" / session.known["id"] / "record"
            processes.wait_until(record.parent, lambda: "STATE=stopping" in record.read_text(), 10, "the state 'stopping'")
            patient = machine.popen("stop", "--grace", "200s", session.name)
            done = machine.run("stop", "--grace", "1s", session.name)
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("does not answer", done.stderr)
            for other in (first, patient):
                self.assertNotIn("does not answer", other.communicate(timeout=10)[1])
                self.assertEqual(other.returncode, 0)
            [receipt] = machine.receipts()
            self.assertIn("SIGKILL", receipt["summary"])
            self.assertNotIn("without its supervisor", receipt["summary"])

    def test_stop_wakes_a_suspended_supervisor(self):
        def stop(machine, session):
            session.supervisor.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, session.supervisor.pid, os.WSTOPPED)
            self.assertEqual(machine.run("stop", session.name).returncode, 0)
        self.assertTrue(self.ends(POLITE, stop, 7, "stopped")[1])

    def test_stop_ends_a_supervisor_that_cannot_answer(self):
        with Machine() as machine, machine.session(DEAF, waits=True) as session:
            session.known
            with processes.frozen(session.supervisor.pid):
                done = machine.run("stop", "--kill", session.name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("does not answer", done.stderr)
            self.assertEqual(session.supervisor.wait(10), -signal.SIGKILL)
            self.assert_nothing_left(machine, session)
            self.assert_clean(machine, session)

    def test_the_time_limit_ends_the_session_with_124(self):
        script = POLITE.replace("exit 7", "exit 0")
        done, _ = self.ends(script, lambda *_: None, 124, "time-limit", options=("--runtime-max", "1s"))
        self.assertIn("time limit", done.stderr)

    def test_a_parent_that_is_named_ends_the_session_when_it_ends(self):
        parent = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        self.addCleanup(parent.wait)
        option = ("--parent-pid", str(parent.pid))
        self.assertTrue(self.ends(POLITE, lambda *_: parent.stdin.close(), 7, "parent-died", options=option)[1])

    def test_a_start_whose_caller_is_gone_before_it_begins_starts_nothing(self):
        with Machine() as machine:
            output = machine.root / "output"
            # Held until whoever made it has been killed and another has taken it over.
            held = f"read line < go; exec {machine.agentctl} start -q -- sleep 1000"
            os.mkfifo(machine.project / "go")
            script = f"sh -c '{held}' > /dev/null 2> {output} & echo $!; kill -9 $$"
            done = subprocess.run(["sh", "-c", script], env=machine.environment, cwd=machine.project, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, text=True, check=False, start_new_session=True)
            orphan = int(done.stdout)
            (machine.project / "go").write_text("go\n")
            wait_for_end(orphan, 20)
            self.assertIn("agentctl: the caller has ended already, and a session ends with it", output.read_text())
            self.assertEqual(machine.sessions(), [])
            self.assertEqual(machine.receipts(), [])

    def test_the_callers_death_ends_the_session(self):
        with Machine() as machine:
            os.mkfifo(machine.project / ".ready")
            reader = os.open(machine.project / ".ready", os.O_RDWR | os.O_CLOEXEC)
            self.addCleanup(os.close, reader)
            command = " ".join(machine.start_argv("-q", "--name", "s", "--", "./polite"))
            (machine.project / "polite").write_text("#!/bin/sh\n" + POLITE)
            (machine.project / "polite").chmod(0o755)
            caller = subprocess.Popen(["sh", "-c", f"{command} & wait"], env=machine.environment, cwd=machine.project,
                                      stdin=subprocess.DEVNULL)
            self.assertEqual(os.read(reader, 100), b"ready\n")
            supervisor = machine.status("s")["pids"]["supervisor"]
            self.assertEqual(machine.status("s")["parent"], {"kind": "caller", "pid": caller.pid})
            caller.kill()
            caller.wait()
            processes.wait_for_all_to_end(lambda: [supervisor] if processes.read(supervisor, "cmdline") else [], 10)
            processes.wait_for_all_to_end(machine.processes, 10)
            self.assertTrue((machine.project / "asked").exists())
            self.assertEqual([receipt["cause"] for receipt in machine.receipts()], ["parent-died"])
            self.assertEqual(machine.records(), [])

    def test_a_parent_that_is_not_there_refuses_the_start(self):
        with Machine() as machine:
            done = machine.start("touch ran", "--parent-pid", "4194304")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertFalse((machine.project / "ran").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
