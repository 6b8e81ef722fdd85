# SPDX-License-Identifier: Apache-2.0
"""stop, from ourselves and from systemd: grace first, then the proof that nobody is left."""
import json
import signal

import machine
from payloads import CROWD, DEAF, POLITE, ROOM_FOR_CROWD, WAITING, python
from session import PROJECT, SessionCase, cgroup_of, records

class Teardown(SessionCase):
    def test_stop_gives_grace(self):
        """stop from another terminal: the agent ends by itself, and stop returns when the scope is empty"""
        session = self.start(*python(POLITE)).expect("ready")
        cgroup = cgroup_of(session.status())
        stopped = self.agentctl("stop", session.name)
        self.assertEqual(0, stopped.returncode, stopped.stderr)
        self.assertTrue(machine.is_empty(cgroup))
        self.assertEqual([], records())
        self.assertTrue((PROJECT / "asked-to-end").exists())
        self.assertEqual(0, session.finish()[0])

    def test_stop_kills_the_deaf(self):
        """an agent that ignores SIGTERM is killed after the grace, and stop says who"""
        session = self.start(*python(DEAF)).expect("ready")
        status = session.status()
        stopped = self.agentctl("stop", session.name, "--grace", "1s")
        self.assertEqual(0, stopped.returncode, stopped.stderr)
        self.assertIn(f"python3 ({status['pids']['leader']})", stopped.stdout + stopped.stderr)
        self.assertEqual(137, session.finish()[0])

    def test_stop_kill(self):
        """stop --kill ends a crowd that resists at once"""
        session = self.start(*python(CROWD), options=ROOM_FOR_CROWD).expect("ready")
        cgroup = cgroup_of(session.status())
        self.assertGreaterEqual(len(machine.members(cgroup)), 200)
        stopped = self.agentctl("stop", session.name, "--kill")
        self.assertEqual(0, stopped.returncode, stopped.stderr)
        self.assertTrue(machine.is_empty(cgroup))
        session.finish()

    def test_stop_all(self):
        """stop --all ends every session of the user"""
        sessions = [self.start(*WAITING, name=f"guest-{number}") for number in (1, 2)]
        for session in sessions:
            session.expect("ready")
        self.assertEqual(0, self.agentctl("stop", "--all").returncode)
        for session in sessions:
            session.finish()

    def test_stop_unknown(self):
        """stop of a name that nobody has fails, and says which are running"""
        session = self.start(*WAITING).expect("ready")
        stopped = self.agentctl("stop", "nobody")
        self.assertEqual(1, stopped.returncode)
        self.assertIn("'nobody' not found", stopped.stderr)
        self.assertIn(session.name, stopped.stderr)
        self.assertEqual(0, self.agentctl("stop", session.name).returncode)
        session.finish()

    def test_systemd_stops_scope(self):
        """systemctl stop of the scope from outside: the agent gets SIGTERM and time to end by itself"""
        session = self.start(*python(POLITE)).expect("ready")
        machine.user_systemctl("stop", session.status()["unit"])
        session.finish()
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def test_systemd_kills_scope(self):
        """systemctl kill of the scope with SIGKILL: start ends and leaves nothing"""
        session = self.start(*python(DEAF)).expect("ready")
        machine.user_systemctl("kill", "--signal=KILL", session.status()["unit"])
        self.assertEqual(128 + signal.SIGKILL, session.finish()[0])

    def test_stop_frozen(self):
        """a frozen session shows as frozen and can still be stopped"""
        session = self.start(*python(POLITE)).expect("ready")
        machine.user_systemctl("freeze", session.status()["unit"])
        self.assertEqual("frozen", session.status()["state"])
        stopped = self.agentctl("stop", session.name, "--grace", "20s")
        self.assertEqual(0, stopped.returncode, stopped.stderr)
        session.finish()
        self.assertTrue((PROJECT / "asked-to-end").exists())

    def test_receipt_is_kept(self):
        """the receipt of an ended session is kept with its figures, readable by the user alone"""
        session = self.start(*WAITING).expect("ready")
        identity = session.status()["id"]
        self.agentctl("stop", session.name)
        session.finish()
        path = machine.HOME / f".local/state/agentctl/receipts/{identity}.json"
        receipt = json.loads(path.read_text())
        self.assertEqual((session.name, "stopped"), (receipt["name"], receipt["cause"]))
        self.assertGreater(receipt["usage"]["memory_peak"], 0)
        self.assertGreater(receipt["usage"]["cpu_usec"], 0)
        self.assertEqual((0o600, machine.DEV.pw_uid), (path.stat().st_mode & 0o777, path.stat().st_uid))
