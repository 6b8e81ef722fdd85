# SPDX-License-Identifier: Apache-2.0
"""One `agentctl start` in the guest, and the test case that proves that nothing of it stays."""
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import time
import unittest

import machine
import waiting

AGENTCTL = "/usr/local/bin/agentctl"
PROJECT = machine.HOME / "project"
RECORDS = machine.RUNTIME / "agentctl"
START_SECONDS = 60
END_SECONDS = 60


class Session:
    """A running `agentctl start`. `wrapper` is put before the command, to be what calls agentctl."""

    def __init__(self, *command, options=(), name="guest", wrapper=(), as_user=None, cwd=PROJECT):
        self.name = name
        arguments = [AGENTCTL, "start", "--name", name, *options, "--", *command]
        self.process = subprocess.Popen(
            [str(part) for part in (*wrapper, *arguments)], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, **(machine.as_dev() if as_user is None else as_user))
        self.buffer = b""

    def line(self, seconds=START_SECONDS):
        """The agent's next line of output."""
        until = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], waiting.left(until))[0]:
                raise waiting.Deadline(f"no line from the agent within {seconds} s")
            read = os.read(self.process.stdout.fileno(), 65536)
            if not read:
                raise AssertionError(f"the agent's output ended: {self.finish()}")
            self.buffer += read
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode(errors="replace")

    def expect(self, text, seconds=START_SECONDS):
        line = self.line(seconds)
        if line != text:
            raise AssertionError(f"the agent said '{line}', not '{text}'")
        return self

    def finish(self, seconds=END_SECONDS):
        """Waits for the end of start: exit status and what it wrote on standard error."""
        _, errors = self.process.communicate(timeout=seconds)
        return self.process.returncode, errors.decode(errors="replace")

    def status(self):
        return json.loads(machine.must(AGENTCTL, "status", self.name, "--json", **machine.as_dev()))

    def abort(self):
        """For a test that failed half way: the kernel alone clears the rest."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()


def cgroup_of(status):
    return pathlib.Path(status["cgroup"]["path"])


def all_sessions():
    return json.loads(machine.must(AGENTCTL, "status", "--json", **machine.as_dev()))


def records():
    """The session directories below the runtime directory: ids, and the hidden names of unfinished ones."""
    try:
        return sorted(name for name in os.listdir(RECORDS) if re.fullmatch(r"\.?[0-9a-f]{8}(\..*)?", name))
    except FileNotFoundError:
        return []


class SessionCase(unittest.TestCase):
    """Each test gets a fresh project, and leaves no process, scope, record or mount."""

    def setUp(self):
        shutil.rmtree(PROJECT, ignore_errors=True)
        PROJECT.mkdir()
        os.chown(PROJECT, machine.DEV.pw_uid, machine.DEV.pw_gid)
        self.mounts = machine.mounts()
        self.started = []
        self.addCleanup(self.abort_all)

    def tearDown(self):
        self.assert_nothing_left()

    def abort_all(self):
        for session in self.started:
            session.abort()
        for pid, name, _ in machine.processes():
            if name == "agentctl":
                os.kill(pid, signal.SIGKILL)
                waiting.wait_for_end(pid)
        for cgroup in machine.scope_cgroups():
            machine.wait_until_removed(cgroup)

    def start(self, *command, **arguments):
        session = Session(*command, **arguments)
        self.started.append(session)
        return session

    def refused(self, *command, status, words, hint=True, **arguments):
        """A start that must fail: one error line with these words, and not one instruction of the payload."""
        marker = PROJECT / "ran"
        session = self.start(*(command or ("touch", "ran")), **arguments)
        returned, errors = session.finish()
        self.assertEqual(status, returned, errors)
        notices = ("agentctl: warning:", "agentctl: no XDG_RUNTIME_DIR of yours:")
        lines = [line for line in errors.splitlines() if line.startswith("agentctl: ") and not line.startswith(notices)]
        self.assertEqual(1, len(lines), errors)
        for word in words:
            self.assertIn(word, errors)
        if hint:
            self.assertIn("hint: ", errors)
        self.assertFalse(marker.exists(), "the payload ran")
        return errors

    def agentctl(self, *arguments, **changes):
        return machine.run(AGENTCTL, *arguments, **machine.as_dev(**changes))

    def assert_nothing_left(self):
        for session in self.started:
            self.assertIsNotNone(session.process.poll(), f"'{session.name}' was left running by the test")
        for cgroup in machine.scope_cgroups():
            machine.wait_until_removed(cgroup)
        self.assertEqual([], machine.processes_of_ours())
        self.assertEqual([], all_sessions())
        self.assertEqual([], records())
        self.assertEqual(self.mounts, machine.mounts())
