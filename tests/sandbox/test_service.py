# SPDX-License-Identifier: Apache-2.0
"""The login-session service as its callers see it: what it starts, changes and ends, and what it refuses."""
import pathlib
import shutil
import signal
import subprocess
import unittest

import processes
from bus_client import MANAGER, NAME, PATH, SESSION, BusClient, session_path
from detached_session import systemctl, unit_properties
from manager_service import BUS, WAIT, ServiceCase, interfaces_of, shipped_interface
from machine import Machine

INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"


def busctl(machine, *arguments):
    return subprocess.run(["busctl", "--user", *arguments], capture_output=True, text=True, env=machine.environment, check=False)


class Interfaces(ServiceCase):
    def test_the_shipped_interfaces_are_the_real_ones(self):
        with self.served() as (machine, service):
            path, _ = self.start_over_bus(machine, service.bus)
            for name, at in ((MANAGER, PATH), (SESSION, path)):
                real = interfaces_of(service.bus.call("Introspect", path=at, interface=INTROSPECTABLE))
                self.assertEqual({key: value for key, value in real.items() if key[0] == name}, shipped_interface(name))

    def test_busctl_finds_its_way(self):
        with self.served() as (machine, service):
            path, _ = self.start_over_bus(machine, service.bus)
            tree = busctl(machine, "tree", "--list", NAME).stdout.splitlines()
            self.assertIn(path, tree)
            shown = busctl(machine, "introspect", NAME, path).stdout
            self.assertRegex(shown, r"\.SetLimits +method +a\{sv\} +- ")
            self.assertRegex(shown, r'\.State +property +s +"running" +emits-change')
            self.assertEqual(busctl(machine, "get-property", NAME, PATH, MANAGER, "Version").stdout, 's "0.1.0"\n')

    def test_version_is_that_of_the_program(self):
        with self.served() as (machine, service):
            version = machine.run("--version").stdout.split()[-1]
            self.assertEqual(service.bus.get(PATH, "Version", MANAGER), version)

    def test_the_program_needs_no_libsystemd_to_start(self):
        with Machine() as machine:
            needed = subprocess.run(["readelf", "-d", machine.agentctl], check=True, capture_output=True, text=True).stdout
            self.assertIn("libc.so", needed)
            self.assertNotIn("systemd", needed)


class Starting(ServiceCase):
    def test_a_session_is_started_detached_and_shown(self):
        with self.served() as (machine, service):
            path, name = self.start_over_bus(machine, service.bus, memory_max="64M", tasks_max="50")
            status = machine.status(name)
            self.assertEqual(path, session_path(status["id"]))
            self.assertEqual(status["parent"]["kind"], "manager")
            self.assertEqual(processes.arguments(status["pids"]["leader"]), WAIT)
            shown = service.bus.get_all(path)
            self.assertEqual(shown["Name"], name)
            self.assertEqual(shown["Project"], str(machine.project))
            self.assertEqual(shown["Command"], status["command"])
            self.assertEqual((shown["State"], shown["Unit"]), ("running", status["unit"]))
            self.assertEqual((shown["CgroupPath"], shown["CgroupId"]), (status["cgroup"]["path"], status["cgroup"]["id"]))
            self.assertEqual(shown["LeaderPID"], status["pids"]["leader"])
            for asked in (shown["LimitsAsked"], shown["LimitsEffective"]):
                self.assertEqual((asked["memory-max"], asked["tasks-max"]), (64 << 20, 50))
            self.assertEqual(shown["Usage"]["tasks"], len(processes.members(status["cgroup"]["path"])))
            self.assertEqual([(status["id"], name, "running", path)], [tuple(entry) for entry in service.bus.call("List")])

    def test_all_options_come_through(self):
        with self.served() as (machine, service):
            (machine.project / "secret").write_text("secret\n")
            (machine.home / "beside").mkdir()
            script = f"cat secret > ../project/read; echo $GIVEN > given; exec {' '.join(WAIT)}"
            self.start_over_bus(machine, service.bus, "sh", "-c", script, name="given", hide=["./secret"], net="none",
                                ro=[str(machine.home / "beside")], env=["GIVEN=a b"], cpu_weight="7")
            status = machine.status("given")
            self.assertEqual((status["network"]["mode"], status["limits"]["asked"]["cpu-weight"]), ("none", 7))
            self.assertIn(str(machine.project / "secret"), status["sandbox"]["hidden"])
            given = processes.wait_until(machine.project, lambda: (machine.project / "given").read_text(), 30, "the script")
            self.assertEqual(given, "a b\n")
            self.assertEqual((machine.project / "read").read_text(), "")

    def test_desk_03_its_variables_are_the_service_managers_of_now(self):
        with self.served() as (machine, service):
            systemctl("set-environment", "GIVEN=later")
            self.addCleanup(systemctl, "unset-environment", "GIVEN")
            script = f"echo $GIVEN > given; exec {' '.join(WAIT)}"
            self.start_over_bus(machine, service.bus, "sh", "-c", script, env=["GIVEN"])
            given = processes.wait_until(machine.project, lambda: (machine.project / "given").read_text(), 30, "the script")
            self.assertEqual(given, "later\n")

    def test_several_at_once_and_their_caller_may_leave(self):
        with self.served() as (machine, service):
            with BusClient(BUS) as other:
                for number in range(4):
                    other.post("Start", "a{sv}", {"project": ("s", str(machine.project)), "name": ("s", f"n{number}"),
                                                  "command": ("as", WAIT)})
                other.call("List")  # it has taken them all
            for number in range(4):
                service.bus.wait_for_added(f"n{number}")
                path = session_path(service.bus.call("GetSession", "s", f"n{number}").rpartition("/")[2])
                if service.bus.get(path, "State") != "running":
                    service.bus.wait_for_change(path, "State", lambda state: state == "running")

    def test_desk_04_after_an_upgrade_it_starts_the_new_program(self):
        with self.served() as (machine, service):
            service.end(signal.SIGTERM)
            installed = pathlib.Path(machine.agentctl)
            new = machine.root / "bin"
            new.mkdir()
            for name in ("agentctl", "agentctl-stage"):
                shutil.copy(installed.with_name(name), new / name)
            machine.agentctl = str(new / "agentctl")
            service.start()
            shutil.copy(new / "agentctl", new / "upgraded")
            (new / "upgraded").rename(new / "agentctl")
            path, _ = self.start_over_bus(machine, service.bus)
            supervisor = service.bus.get(path, "SupervisorPID")
            self.assertEqual(pathlib.Path(f"/proc/{supervisor}/exe").readlink(), new / "agentctl")


class Refusals(ServiceCase):
    def test_wrong_options_are_refused_by_name(self):
        with self.served() as (machine, service):
            project = ("s", str(machine.project))
            for options, words in (
                    ({}, "'project' is missing"),
                    ({"project": ("s", "relative")}, "must be an absolute path"),
                    ({"project": ("u", 3)}, "'project' must be of type 's', not 'u'"),
                    ({"project": project, "memory_max": ("s", "1G")}, "unknown option 'memory_max'; did you mean 'memory-max'?"),
                    ({"project": project, "command": ("s", "true")}, "'command' must be of type 'as', not 's'"),
                    ({"project": project, "parent-pid": ("s", "1")}, "unknown option 'parent-pid'"),
                    ({"project": project, "memory-max": ("s", "much")}, "memory-max"),
                    ({"project": project, "name": ("s", "A B"), "command": ("as", WAIT)}, "the name 'A B' must be"),
                    ({"project": ("s", "/not/there"), "command": ("as", WAIT)}, "/not/there")):
                text = self.refused("InvalidArgument", service.bus.call, "Start", "a{sv}", options)
                self.assertIn(words, text)
            self.assertEqual(machine.sessions(), [])

    def test_a_refused_project_and_a_wrong_policy_are_policy_errors(self):
        with self.served() as (machine, service):
            options = {"project": ("s", str(machine.home)), "command": ("as", WAIT)}
            self.refused("Policy", service.bus.call, "Start", "a{sv}", options)
            (machine.home / ".config/agentctl").mkdir(parents=True)
            (machine.home / ".config/agentctl/policy.toml").write_text("[limit]\n")
            options["project"] = ("s", str(machine.project))
            self.assertIn("policy.toml:1", self.refused("Policy", service.bus.call, "Start", "a{sv}", options))

    def test_a_command_that_is_not_there_has_an_error_of_its_own(self):
        with self.served() as (machine, service):
            self.assertIn("no-such-agent", self.refused("CommandNotFound", self.start_over_bus, machine, service.bus, "no-such-agent"))
            (machine.project / "text").write_text("text\n")
            self.refused("CannotExecute", self.start_over_bus, machine, service.bus, "./text")

    def test_an_unknown_and_an_ambiguous_name_are_told_apart(self):
        with self.served() as (machine, service):
            self.assertIn("no session is running", self.refused("NoSuchSession", service.bus.call, "Stop", "sa{sv}", "none", {}))
            self.start_over_bus(machine, service.bus, name="one-a")
            self.start_over_bus(machine, service.bus, name="one-b")
            self.assertIn("candidates: one-a, one-b", self.refused("Ambiguous", service.bus.call, "GetSession", "s", "one"))
            self.refused("NoSuchSession", service.bus.call, "GetSession", "s", "one-c")
            self.refused("Ambiguous", service.bus.call, "Stop", "sa{sv}", "one", {})
            self.refused("InvalidArgument", service.bus.call, "Stop", "sa{sv}", "one-a", {"all": ("b", True)})
            self.refused("InvalidArgument", service.bus.call, "Stop", "sa{sv}", "one-a", {"grace": ("s", "soon")})
            self.assertEqual(len(machine.sessions()), 2)

    def test_without_a_bus_it_says_so_and_ends(self):
        with Machine() as machine:
            hidden = f"mount -t tmpfs none /run/user && exec {machine.agentctl} serve"
            done = subprocess.run(["unshare", "--mount", "sh", "-c", hidden], capture_output=True, text=True, timeout=60,
                                  env=machine.environment, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^agentctl: cannot reach the bus of your login: .*\nhint: .*\n$")

    def test_a_second_one_is_refused_and_the_first_goes_on(self):
        with self.served() as (machine, service):
            done = machine.run("serve")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "^agentctl: the name org.agentctl.Manager1 is taken on the bus: another")
            self.assertEqual(service.bus.owner(), service.pid)


class Acting(ServiceCase):
    def test_stop_ends_a_session_and_says_so_first(self):
        with self.served() as (machine, service):
            path, name = self.start_over_bus(machine, service.bus)
            status = machine.status(name)
            self.assertIsNone(service.bus.call_session(path, "Stop", "a{sv}", {"grace": ("s", "5s")}))
            self.assertEqual([signal.body[0] for signal in service.bus.signals() if signal.member == "InterfacesRemoved"], [path])
            self.assertEqual(processes.members(status["cgroup"]["path"]), [])
            self.assertEqual(service.bus.sessions(), {})
            self.assertEqual(machine.receipts()[0]["cause"], "stopped")
            self.assert_nothing_left(machine, service)

    def test_stop_by_name_kills_who_does_not_hear(self):
        with self.served() as (machine, service):
            self.start_over_bus(machine, service.bus, "sh", "-c", "trap '' TERM; while :; do sleep 1000; done", name="deaf")
            service.bus.call("Stop", "sa{sv}", "de", {"kill": ("b", True)})
            self.assertEqual(machine.sessions(), [])
            self.assert_nothing_left(machine, service)

    def test_freeze_and_thaw(self):
        with self.served() as (machine, service):
            path, name = self.start_over_bus(machine, service.bus)
            events = pathlib.Path(machine.status(name)["cgroup"]["path"], "cgroup.events")
            service.bus.call_session(path, "Freeze")
            self.assertIn("frozen 1", events.read_text())
            self.assertEqual(service.bus.get(path, "State"), "frozen")
            service.bus.call_session(path, "Thaw")
            self.assertIn("frozen 0", events.read_text())
            self.assertEqual(service.bus.get(path, "State"), "running")

    def test_limits_are_set_and_told_before_the_answer(self):
        with self.served() as (machine, service):
            path, name = self.start_over_bus(machine, service.bus, memory_max="64M")
            service.bus.forget_signals()
            service.bus.call_session(path, "SetLimits", "a{sv}", {"memory-max": ("s", "96M"), "tasks-max": ("s", "33")})
            changed = [signal.body[1] for signal in service.bus.signals() if signal.member == "PropertiesChanged"]
            self.assertEqual(changed[0]["LimitsAsked"][1]["memory-max"], ("t", 96 << 20))
            self.assertEqual(service.bus.get(path, "LimitsEffective")["tasks-max"], 33)
            self.assertEqual(unit_properties(machine.status(name)["unit"], "MemoryMax")["MemoryMax"], str(96 << 20))

    def test_limits_that_cannot_be_are_refused_and_nothing_is_changed(self):
        with self.served() as (machine, service):
            path, _ = self.start_over_bus(machine, service.bus, memory_max="64M")
            before = service.bus.get(path, "LimitsAsked")
            for limits, words in (({}, "no limit is given"),
                                  ({"memory-max": ("t", 5)}, "'memory-max' must be of type 's', not 't'"),
                                  ({"oom": ("s", "session")}, "'oom' cannot be changed"),
                                  ({"memory-max": ("s", "96M"), "cpu-weight": ("s", "0")}, "cpu-weight"),
                                  ({"memory-max": ("s", "0")}, "must not be 0")):
                text = self.refused("InvalidArgument", service.bus.call_session, path, "SetLimits", "a{sv}", limits)
                self.assertIn(words, text)
            self.assertEqual(service.bus.get(path, "LimitsAsked"), before)

    def test_a_long_stop_holds_up_nobody(self):
        with self.served() as (machine, service):
            self.start_over_bus(machine, service.bus, "sh", "-c", "trap '' TERM; echo > ready; while :; do sleep 1000; done", name="deaf")
            processes.wait_until(machine.project, lambda: (machine.project / "ready").exists(), 30, "the script")
            path = self.path_of(machine, "deaf")
            stop = service.bus.post("Stop", "sa{sv}", "deaf", {"grace": ("s", "1h")})
            service.bus.wait_for_change(path, "State", lambda state: state == "stopping")
            self.start_over_bus(machine, service.bus, name="other")
            self.assertEqual(service.bus.get(path, "State"), "stopping")
            service.bus.call("Stop", "sa{sv}", "deaf", {"kill": ("b", True)})
            self.assertIsNotNone(service.bus.hear_answer(stop))


if __name__ == "__main__":
    unittest.main(verbosity=2)
