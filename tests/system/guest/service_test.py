# SPDX-License-Identifier: Apache-2.0
"""The login-session service on a real user's bus: started by the first call, and what its end, or others', does not touch."""
import os
import signal

import machine
import waiting
from bus_client import MANAGER, NAME, PATH, BusClient
from login import LoginCase
from session import PROJECT, all_sessions, cgroup_of

UNIT = "agentctl.service"
BUS = f"unix:path={machine.RUNTIME}/bus"


def unit_property(name):
    return machine.user_systemctl("show", "--value", f"--property={name}", UNIT).strip()


class Service(LoginCase):
    def setUp(self):
        super().setUp()
        machine.user_systemctl("daemon-reload")
        self.busctl("call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReloadConfig")

    def tearDown(self):
        machine.user_systemctl("stop", UNIT)
        machine.user_systemctl("reset-failed")
        super().tearDown()

    def busctl(self, *arguments):
        return machine.must("busctl", "--user", *arguments, **machine.as_dev())

    def client(self):
        """A client that is dev's: a user's bus lets nobody else in, root neither."""
        with machine.being_dev():
            bus = BusClient(BUS)
        self.addCleanup(bus.connection.close)
        return bus

    def start_over_bus(self, bus, name="guest"):
        options = {"project": ("s", str(PROJECT)), "name": ("s", name), "command": ("as", ["sleep", "infinity"]),
                   "memory-max": ("s", "96M")}
        return bus.call("Start", "a{sv}", options)[0]

    def end(self, status):
        self.assertEqual(0, self.agentctl("stop", status["id"]).returncode)
        waiting.wait_until_empty(cgroup_of(status), 60)
        waiting.wait_for_end(status["pids"]["supervisor"], 60)

    def test_activation(self):
        """the first call on the bus starts the service, as a unit of the user's manager, hardened"""
        self.assertEqual("inactive", unit_property("ActiveState"))
        self.assertEqual('s "0.1.0"', self.busctl("get-property", NAME, PATH, MANAGER, "Version").strip())
        self.assertEqual("active", unit_property("ActiveState"))
        pid = int(unit_property("MainPID"))
        self.assertIn("session.slice/agentctl.service", machine.read(f"/proc/{pid}/cgroup"))
        status = machine.read(f"/proc/{pid}/status")
        self.assertIn("NoNewPrivs:\t1\n", status)
        self.assertIn("Seccomp:\t2\n", status)

    def test_session(self):
        """a session that is started over the bus is like any other: proven limits, no child of the service, its walls its own"""
        bus = self.client()
        path = self.start_over_bus(bus)
        status = all_sessions()[0]
        self.assertEqual(bus.get(path, "CgroupPath"), str(cgroup_of(status)))
        self.assertEqual(machine.USER_CGROUP / "app.slice/app-agentctl.slice", cgroup_of(status).parent)
        self.assertEqual(str(96 << 20), machine.read(cgroup_of(status) / "memory.max"))
        self.assertEqual({"kind": "manager", "pid": machine.user_manager_pid()}, status["parent"])
        supervisor = machine.read(f"/proc/{status['pids']['supervisor']}/status")
        self.assertIn("Seccomp:\t0\n", supervisor)
        self.assertIn("Umask:\t0022\n", machine.read(f"/proc/{status['pids']['leader']}/status"))
        bus.call_session(path, "Freeze")
        self.assertIn("frozen 1", machine.read(cgroup_of(status) / "cgroup.events"))
        bus.call_session(path, "SetLimits", "a{sv}", {"memory-max": ("s", "128M")})
        self.assertEqual(str(128 << 20), machine.read(cgroup_of(status) / "memory.max"))
        bus.call_session(path, "Stop", "a{sv}", {})
        self.assertEqual([], all_sessions())
        waiting.wait_for_end(status["pids"]["supervisor"], 60)

    def test_restart(self):
        """restart and SIGKILL of the service leave sessions alone, and it sees them all again"""
        bus = self.client()
        path = self.start_over_bus(bus)
        status = all_sessions()[0]
        machine.user_systemctl("restart", UNIT)
        self.assertEqual(["guest"], [shown["Name"] for shown in bus.sessions().values()])
        bus.forget_signals()
        killed = bus.owner()
        os.kill(killed, signal.SIGKILL)
        bus.wait_for_owner(other_than=killed)
        self.assertEqual("running", bus.get(path, "State"))
        after = all_sessions()[0]
        self.assertEqual((status["pids"], "running"), (after["pids"], after["state"]))
        self.end(status)

    def test_supervisor_killed(self):
        """a session whose supervisor is killed goes from the bus, and nothing of it is left"""
        bus = self.client()
        path = self.start_over_bus(bus)
        status = all_sessions()[0]
        os.kill(status["pids"]["supervisor"], signal.SIGKILL)
        bus.wait_for_removed(path)
        waiting.wait_until_empty(cgroup_of(status), 10)
        machine.wait_until_removed(cgroup_of(status))

    def test_reexec(self):
        """the user manager re-executes itself: the service goes on, with calls and signals"""
        bus = self.client()
        path = self.start_over_bus(bus)
        status = all_sessions()[0]
        pid = bus.owner()
        machine.user_systemctl("daemon-reexec")
        machine.wait_for_user_manager()
        self.assertEqual(pid, bus.owner())
        self.assertEqual(0, self.agentctl("pause", "guest").returncode)
        bus.wait_for_change(path, "State", lambda state: state == "frozen")
        other = self.start_over_bus(bus, "other")
        bus.call_session(other, "Stop", "a{sv}", {"kill": ("b", True)})
        self.end(status)

    def test_bus_restart(self):
        """the user's bus is restarted: sessions do not notice, and the next call finds the service again"""
        bus = self.client()
        path = self.start_over_bus(bus)
        status = all_sessions()[0]
        pid = bus.owner()
        machine.user_systemctl("restart", "dbus.service")
        waiting.wait_for_end(pid, 60)
        again = self.client()
        again.wait_for_owner()
        self.assertEqual("running", again.get(path, "State"))
        self.assertEqual(status["pids"], all_sessions()[0]["pids"])
        self.end(status)

    def test_logout(self):
        """logout of the last login without lingering takes the service and what it has started, and nothing is left"""
        bus = self.client()
        self.start_over_bus(bus)
        status = all_sessions()[0]
        manager = machine.user_manager_pid()
        self.log_in("sleep", "infinity")
        self.without_linger()
        machine.must("loginctl", "terminate-user", "dev")
        waiting.wait_until_empty(cgroup_of(status), 60)
        self.wait_until_manager_ended(manager)
        self.assertEqual([], self.processes_of_dev())
        self.linger(True)
        machine.wait_for_user_manager()
