# SPDX-License-Identifier: Apache-2.0
"""`agentctl serve` whose journal can be read while it runs, and the test case around one."""
import os
import pathlib
import subprocess

import processes
from bus_client import BusClient
from detached_session import DetachedCase, systemctl
from machine import Machine
from manager_service import BUS, LoginService
from waiting import wait_for_directory_change


class LoggedService(LoginService):
    def start(self):
        self.log = pathlib.Path(self.machine.root, f"service-{os.urandom(4).hex()}.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([self.machine.agentctl, "serve"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={**self.machine.environment, "AGENTCTL_LOG": "debug"}, cwd="/")
        self.bus.wait_for_owner()

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(timeout=30)

    def errors(self):
        return self.log.read_text(errors="replace")

    def wait_until_told(self, text, seconds=30):
        wait_for_directory_change(self.machine.root, lambda: text in self.errors(), seconds, f"the service to say '{text}'")

    def ping(self):
        self.bus.call("Ping", interface="org.freedesktop.DBus.Peer")

    def children(self):
        """The commands of agentctl that it runs just now."""
        return [processes.arguments(pid) for pid in processes.every() if processes.parent(pid) == self.process.pid]


class LoggedCase(DetachedCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        BusClient(BUS).connection.close()  # its daemon is started by this, and must not be taken for the machine's
        names = [name for name in self.machine.environment if name != "XDG_RUNTIME_DIR"]
        systemctl("set-environment", *(f"{name}={self.machine.environment[name]}" for name in names))
        self.addCleanup(systemctl, "unset-environment", *names)

    def serve(self):
        service = LoggedService(self.machine)
        service.start()
        self.addCleanup(service.__exit__)
        return service
