# SPDX-License-Identifier: Apache-2.0
"""`agentctl serve` on the bus of the test's own user manager, and a client of it."""
import contextlib
import pathlib
import signal
import subprocess
import unittest

import processes
from bus_client import BusClient, CallError, session_path
from detached_session import systemctl
from machine import Machine
from waiting import wait_until_gone

BUS = "unix:path=/run/user/0/bus"
WAIT = ["sleep", "1000"]


class LoginService:
    """`with LoginService(machine) as service:` it has its name on the bus; service.bus is a client."""

    def __init__(self, machine):
        self.machine = machine
        self.process = None
        self.bus = BusClient(BUS)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        for session in self.machine.sessions():
            self.machine.run("stop", "--kill", session["id"])
        self.end(signal.SIGTERM)
        self.bus.connection.close()

    def start(self):
        self.process = subprocess.Popen([self.machine.agentctl, "serve"], env=self.machine.environment, cwd="/", stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.bus.wait_for_owner()

    @property
    def pid(self):
        return self.process.pid

    def end(self, number):
        """Its exit status and what it has written."""
        self.process.send_signal(number)
        output, errors = self.process.communicate(timeout=30)
        return self.process.returncode, output + errors


class ServiceCase(unittest.TestCase):
    @contextlib.contextmanager
    def served(self):
        """A machine whose variables the service manager has, too, with the service running: (machine, service)."""
        with Machine() as machine, BusClient(BUS):  # the bus is up before, and has variables of its own
            names = [name for name in machine.environment if name != "XDG_RUNTIME_DIR"]
            systemctl("set-environment", *(f"{name}={machine.environment[name]}" for name in names))
            try:
                with LoginService(machine) as service:
                    yield machine, service
            finally:
                systemctl("unset-environment", *names)

    def refused(self, name, call, *arguments):
        """The text of the error of that name (below org.agentctl.Error) that the call ends in."""
        with self.assertRaises(CallError) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.name, f"org.agentctl.Error.{name}", caught.exception.text)
        return caught.exception.text

    def start_over_bus(self, machine, bus, *command, **options):
        """Session's path and name; options as of agentctl start, '_' for '-'."""
        given = {"project": ("s", str(machine.project)), "command": ("as", list(command or WAIT))}
        for key, value in options.items():
            kind = "b" if isinstance(value, bool) else "as" if isinstance(value, list) else "s"
            given[key.replace("_", "-")] = (kind, value)
        return bus.call("Start", "a{sv}", given)

    def start_from_cli(self, machine, name="s", *options):
        done = machine.run("start", "--quiet", "--detach", "--name", name, *options, "--", *WAIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return machine.status(name)

    def path_of(self, machine, name="s"):
        return session_path(machine.status(name)["id"])

    def assert_nothing_left(self, machine, service):
        processes.wait_for_all_to_end(lambda: [pid for pid in machine.processes() if pid != service.pid], 10)
        self.assertEqual(machine.records(), [])
        for cgroup in processes.cgroups_named("app-agentctl-"):  # systemd takes it away when it hears that it is empty
            wait_until_gone(cgroup)


def interfaces_of(xml):
    """What introspection XML says of interfaces: {(interface, kind, member): what it is}."""
    import xml.etree.ElementTree as tree

    found = {}
    for interface in tree.fromstring(xml).iter("interface"):
        for member in interface:
            if member.tag == "annotation":
                continue
            arguments = [(arg.get("name"), arg.get("type"), arg.get("direction")) for arg in member.iter("arg")]
            notes = sorted((note.get("name"), note.get("value")) for note in member.iter("annotation"))
            found[interface.get("name"), member.tag, member.get("name")] = (
                member.get("type"), member.get("access"), arguments, notes)
    return found


def shipped_interface(name):
    return interfaces_of((pathlib.Path(__file__).resolve().parents[2] / "packaging" / f"{name}.xml").read_text())
