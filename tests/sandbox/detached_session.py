# SPDX-License-Identifier: Apache-2.0
"""A session that no process of the test's is the parent of, and what belongs to it, seen from outside."""
import os
import pathlib
import select
import subprocess
import unittest

import processes

WAIT = "exec sleep 1000"


def systemctl(*arguments):
    """What the user manager's systemctl prints; it must work."""
    return subprocess.run(["systemctl", "--user", *arguments], check=True, capture_output=True, text=True).stdout


def unit_properties(unit, *names):
    """What the user manager says of a unit; everything when no property is named."""
    shown = systemctl("show", unit, *(f"--property={name}" for name in names))
    return dict(line.partition("=")[::2] for line in shown.splitlines() if "=" in line)


class DetachedSession:
    """`with DetachedSession(machine, "SCRIPT") as session:` the starter has ended; the session is gone after the block."""

    def __init__(self, machine, script, *options, name="s", **popen_options):
        self.machine = machine
        self.name = name
        arguments = ("start", "--detach", "--name", name, *options, "--", "sh", "-c", script)
        self.started = machine.run(*arguments, **popen_options)
        if self.started.returncode != 0:
            raise AssertionError(f"not started: {self.started.stderr}")
        self.known = machine.status(name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_listed():
            self.machine.run("stop", "--kill", self.name)
        self.wait_for_supervisor(10)

    def is_listed(self):
        return self.name in [session["name"] for session in self.machine.sessions()]

    @property
    def supervisor(self):
        return self.known["pids"]["supervisor"]

    @property
    def leader(self):
        return self.known["pids"]["leader"]

    @property
    def cgroup(self):
        return self.known["cgroup"]["path"]

    @property
    def service(self):
        return f"agentctl-session-{self.known['id']}.service"

    @property
    def scope(self):
        return self.known["unit"]

    def members(self):
        return processes.members(self.cgroup)

    def is_loaded(self, unit):
        return unit_properties(unit, "LoadState")["LoadState"] != "not-found"

    def wait_for_supervisor(self, seconds):
        processes.wait_for_all_to_end(lambda: [self.supervisor] if processes.arguments(self.supervisor) else [], seconds)

    def wait_for_end(self, seconds=15):
        """Until supervisor, agent and both cgroups are gone."""
        self.wait_for_supervisor(seconds)
        processes.wait_for_all_to_end(self.members, seconds)
        for name in (self.scope, self.service):
            for directory in processes.cgroups_named(name):
                processes.wait_until_gone(directory, seconds)

    def control_socket(self):
        return pathlib.Path(self.machine.runtime) / "agentctl" / self.known["id"] / "control"


class DetachedCase(unittest.TestCase):
    def pipe(self, machine, name=".ready"):
        """A pipe that a script writes to when it has come somewhere, and the test's end of it."""
        os.mkfifo(machine.project / name)
        reader = os.open(machine.project / name, os.O_RDWR | os.O_CLOEXEC)
        self.addCleanup(os.close, reader)
        return reader

    def hear(self, reader, seconds=30):
        self.assertTrue(select.select([reader], [], [], seconds)[0], "nothing was said")
        return os.read(reader, 4096).decode()

    def assert_nothing_left(self, machine, session):
        session.wait_for_end()
        self.assertFalse(session.is_loaded(session.service))
        self.assertFalse(session.is_loaded(session.scope))
        self.assertEqual(processes.cgroups_named(session.known["id"]), [])
        processes.wait_for_all_to_end(machine.processes, 10)
        machine.run("status")  # sweeps
        self.assertEqual(machine.records(), [])
