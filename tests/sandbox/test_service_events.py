# SPDX-License-Identifier: Apache-2.0
"""What the login-session service notices by itself, and what its own end does not touch."""
import os
import pathlib
import select
import signal
import subprocess
import unittest

import processes
from bus_client import BusClient, session_path
from detached_session import systemctl, unit_properties
from manager_service import WAIT, ServiceCase
from machine import Machine

IDLE_SECONDS = 3


def switches(pid):
    """How often a process has gone to sleep of its own accord: once a wakeup."""
    line = next(line for line in processes.read(pid, "status").splitlines() if line.startswith("voluntary_ctxt_switches:"))
    return int(line.split()[1])


def cpu_ticks(pid):
    fields = processes.read(pid, "stat").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


class Noticing(ServiceCase):
    def test_a_session_of_the_command_line_appears_changes_and_goes(self):
        with self.served() as (machine, service):
            status = self.start_from_cli(machine, "typed", "--memory-max", "64M")
            path, properties = service.bus.wait_for_added("typed")
            self.assertEqual((path, properties["Id"]), (session_path(status["id"]), status["id"]))
            if properties["State"] != "running":
                service.bus.wait_for_change(path, "State", lambda state: state == "running")
            self.assertEqual(service.bus.get(path, "CgroupPath"), status["cgroup"]["path"])

            self.assertEqual(machine.run("set", "typed", "memory-max=80M").returncode, 0)
            asked = service.bus.wait_for_change(path, "LimitsAsked", lambda limits: limits["memory-max"] == 80 << 20)
            self.assertEqual(asked, service.bus.get(path, "LimitsAsked"))
            service.bus.wait_for_change(path, "LimitsEffective", lambda limits: limits["memory-max"] == 80 << 20)

            self.assertEqual(machine.run("pause", "typed").returncode, 0)
            service.bus.wait_for_change(path, "State", lambda state: state == "frozen")
            service.bus.forget_signals()
            self.assertEqual(machine.run("resume", "typed").returncode, 0)
            service.bus.wait_for_change(path, "State", lambda state: state == "running")

            self.assertEqual(machine.run("stop", "typed").returncode, 0)
            service.bus.wait_for_removed(path)
            self.assertEqual(service.bus.sessions(), {})

    def test_a_foreground_session_is_shown_like_any_other(self):
        with self.served() as (machine, service):
            with machine.session("", name="typed") as session:
                path, _ = service.bus.wait_for_added("typed")
                self.assertEqual(service.bus.get(path, "SupervisorPID"), session.supervisor.pid)
            service.bus.wait_for_removed(path)

    def test_a_freeze_by_systemd_itself_is_noticed(self):
        with self.served() as (machine, service):
            path, name = self.start_over_bus(machine, service.bus)
            scope = machine.status(name)["unit"]
            cgroup = pathlib.Path(machine.status(name)["cgroup"]["path"])
            service.bus.forget_signals()
            (cgroup / "cgroup.freeze").write_text("1")
            service.bus.wait_for_change(path, "State", lambda state: state == "frozen")
            (cgroup / "cgroup.freeze").write_text("0")
            service.bus.wait_for_change(path, "State", lambda state: state == "running")
            self.assertEqual(unit_properties(scope, "ActiveState")["ActiveState"], "active")

    def test_an_agent_that_ends_by_itself_takes_its_object_along(self):
        with self.served() as (machine, service):
            os.mkfifo(machine.project / "go")
            path, _ = self.start_over_bus(machine, service.bus, "sh", "-c", "read word < go; exit 3")
            (machine.project / "go").write_text("word\n")
            service.bus.wait_for_removed(path)
            self.assertEqual(machine.receipts()[0]["exit_status"], 3)
            self.assert_nothing_left(machine, service)

    def test_what_died_with_its_supervisor_is_swept(self):
        with self.served() as (machine, service):
            path, name = self.start_over_bus(machine, service.bus)
            status = machine.status(name)
            os.kill(status["pids"]["supervisor"], signal.SIGKILL)
            service.bus.wait_for_removed(path)
            self.assertEqual(machine.records(), [])
            self.assertEqual(machine.receipts()[0]["cause"], "supervisor-lost")
            processes.wait_until_gone(status["cgroup"]["path"], 10)

    def test_what_died_while_nobody_served_is_swept_at_the_start(self):
        with self.served() as (machine, service):
            path, name = self.start_over_bus(machine, service.bus)
            service.end(signal.SIGKILL)
            os.kill(machine.status(name)["pids"]["supervisor"], signal.SIGKILL)
            service.start()
            processes.wait_until(machine.runtime / "agentctl", lambda: machine.records() == [], 30, "the sweep")
            self.assertEqual(service.bus.sessions(), {})

    def test_a_start_that_is_refused_leaves_no_object(self):
        with self.served() as (machine, service):
            refused = machine.run("start", "-q", "--detach", "--name", "gone", "--", "/not/there")
            self.assertNotEqual(refused.returncode, 0)
            self.start_over_bus(machine, service.bus, name="after")
            self.assertEqual([entry["Name"] for entry in service.bus.sessions().values()], ["after"])

    def test_odd_bytes_in_a_path_do_not_break_the_bus(self):
        with self.served() as (machine, service):
            odd = os.path.join(os.fsencode(machine.project), b"a\xffb \x1b[31m")
            os.mkdir(odd)
            done = machine.run("start", "-q", "--detach", "--name", "odd", "--", *WAIT, cwd=odd)
            self.assertEqual(done.returncode, 0, done.stderr)
            path, properties = service.bus.wait_for_added("odd")
            self.assertEqual(properties["Project"], f"{machine.project}/a\ufffdb \x1b[31m")
            self.assertEqual(service.bus.get_all(path)["Name"], "odd")


class Standing(ServiceCase):
    def test_killed_and_started_again_it_sees_every_session(self):
        with self.served() as (machine, service):
            before = {self.start_over_bus(machine, service.bus, name=name)[0]: name for name in ("one", "two")}
            pids = {name: machine.status(name)["pids"] for name in ("one", "two")}
            for end in (signal.SIGKILL, signal.SIGTERM):
                service.bus.forget_signals()
                service.end(end)
                service.start()
                self.assertEqual({path: shown["Name"] for path, shown in service.bus.sessions().items()}, before)
                self.assertEqual({name: machine.status(name)["pids"] for name in ("one", "two")}, pids)
                self.assertEqual([signal.member for signal in service.bus.signals() if signal.member == "InterfacesRemoved"], [])

    def test_a_stop_of_it_is_a_success_without_a_word(self):
        with self.served() as (_, service):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                self.assertEqual(service.end(number), (0, ""))
                service.start()

    def test_when_the_bus_goes_it_ends_and_the_sessions_stay(self):
        with Machine() as machine:
            self.start_from_cli(machine, "s")
            address = f"unix:path={machine.root}/bus"
            daemon = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}"],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            processes.wait_until(machine.root, lambda: (machine.root / "bus").exists(), 30, "the bus")
            with BusClient(address) as bus:
                service = machine.popen("serve", env=dict(machine.environment, DBUS_SESSION_BUS_ADDRESS=address))
                self.assertEqual(bus.wait_for_owner(), service.pid)
                self.assertEqual([shown["Name"] for shown in bus.sessions().values()], ["s"])
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()
            output, errors = service.communicate(timeout=30)
            self.assertEqual((service.returncode, output), (1, ""))
            self.assertRegex(errors, "^agentctl: the connection to the bus broke")
            self.assertEqual(machine.status("s")["state"], "running")
            self.assertEqual(machine.run("stop", "--kill", "s").returncode, 0)

    def test_idle_it_does_not_wake_up(self):
        with self.served() as (machine, service):
            paths = [self.start_over_bus(machine, service.bus, name=f"n{number}")[0] for number in range(3)]
            self.assertEqual(len(service.bus.sessions()), len(paths))
            pidfd = os.pidfd_open(service.pid)
            self.addCleanup(os.close, pidfd)
            select.select([pidfd], [], [], 1)  # it goes back to its wait after the last answer
            before = (switches(service.pid), cpu_ticks(service.pid))
            self.assertEqual(select.select([pidfd], [], [], IDLE_SECONDS)[0], [])  # the time is what is measured
            self.assertEqual((switches(service.pid), cpu_ticks(service.pid)), before)

    def test_the_command_line_works_without_it(self):
        with Machine() as machine:
            self.start_from_cli(machine, "s")
            self.assertEqual(machine.status("s")["state"], "running")
            self.assertEqual(machine.run("set", "s", "tasks-max=44").returncode, 0)
            self.assertEqual(machine.run("stop", "s").returncode, 0)
            self.assertNotIn("agentctl.service", systemctl("list-units", "--all", "--no-legend"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
