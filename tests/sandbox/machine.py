# SPDX-License-Identifier: Apache-2.0
"""A home, a project and agentctl, seen from outside of every sandbox.

Beside a user manager (tests/support/with_user_manager) sessions go to that one; without XDG_RUNTIME_DIR each gets a
private one, and the machine has a runtime directory of its own.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import processes
from live_session import LiveSession


class Machine:
    """`with Machine() as machine:` everything in it is gone afterwards."""

    def __init__(self):
        self.agentctl = os.environ["AGENTCTL"]
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="agentctl-sandbox-", dir="/var/tmp"))
        self.home = self.root / "home"
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        self.is_private = "XDG_RUNTIME_DIR" not in os.environ
        self.runtime = self.root / "run" if self.is_private else pathlib.Path(os.environ["XDG_RUNTIME_DIR"])
        self.runtime.mkdir(mode=0o700, exist_ok=True)
        self.environment = {
            "HOME": str(self.home),  # also the mark by which its processes are found
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.runtime),
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            processes.wait_for_all_to_end(self.processes, 10)
        finally:
            shutil.rmtree(self.root)

    def start_argv(self, *arguments):
        manager = ("--manager", "private") if self.is_private else ()
        return [self.agentctl, "start", *manager, *arguments]

    def popen(self, *arguments, **options):
        argv = self.start_argv(*arguments[1:]) if arguments[:1] == ("start",) else [self.agentctl, *arguments]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
                 "env": self.environment, "cwd": self.project}
        return subprocess.Popen(argv, **{**pipes, **options})

    def run(self, *arguments, seconds=60, input=None, **options):
        if input is not None:
            options["stdin"] = subprocess.PIPE
        process = self.popen(*arguments, **options)
        try:
            output, errors = process.communicate(input, timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def start(self, script, *options, **popen_options):
        return self.run("start", *options, "--", "sh", "-c", script, **popen_options)

    def session(self, script, *options, **popen_options):
        """A session whose script has come to its end, where it waits: see LiveSession."""
        return LiveSession(self, script, options, popen_options)

    def status(self, name):
        return json.loads(self.run("status", "--json", name).stdout)

    def sessions(self):
        """Those of this machine: others may run beside a test that has no manager of its own."""
        sessions = json.loads(self.run("status", "--json").stdout)
        return [session for session in sessions if session["project"].startswith(str(self.root))]

    def records(self):
        """What is in the runtime directory's part that is ours."""
        return sorted(path.name for path in self.runtime.glob("agentctl/*"))

    def receipts(self):
        directory = self.home / ".local/state/agentctl/receipts"
        return [json.loads(path.read_text()) for path in sorted(directory.glob("*.json"))]

    def processes(self):
        """Every process, in a session or not, that was started with this machine's home."""
        return processes.with_variable("HOME", str(self.home))
