# SPDX-License-Identifier: Apache-2.0
"""A scratch machine for one agent: a home with its configuration and planted credentials, a project, agentctl around it."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile

import agents
import install
from fake_model import FakeModel
from pty_driver import PtyDriver
from waiting import Deadline

SECRET = "token-that-no-agent-may-read"
START_SECONDS = 60


class Scratch:
    """`with Scratch("claude") as scratch:` everything in it is gone afterwards. `model`: another than one on loopback."""

    def __init__(self, agent_name, model=None):
        self.agentctl = os.environ["AGENTCTL"]
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="agentctl-agents-", dir="/var/tmp"))
        self.home = self.root / "home"
        self.project = self.home / "project"
        self.outside = self.root / "outside"
        self.project.mkdir(parents=True)
        self.outside.mkdir()
        (self.home / ".fake-creds").write_text(SECRET)
        self.model = model or FakeModel()
        self.agent = agents.AGENTS[agent_name](self.model.url)
        self.agent.furnish(self.home, self.project)
        bin_dir = str(pathlib.Path(install.binary(agent_name)).parent)
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{bin_dir}:{os.environ['PATH']}",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],
            **self.agent.environment,
        }
        self.pipes = {}

    def __enter__(self):
        self.model.__enter__()
        return self

    def __exit__(self, *exception):
        self.model.__exit__(*exception)
        for pipe in self.pipes.values():
            os.close(pipe)
        shutil.rmtree(self.root)

    def start_argv(self, options, command):
        passed = [part for name in self.agent.environment for part in ("--env", name)]
        return [self.agentctl, "start", *passed, *options, "--", *command]

    def start(self, options, command):
        """agentctl start, not on a terminal."""
        return subprocess.Popen(self.start_argv(options, command), env=self.environment, cwd=self.project,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    @staticmethod
    def end(session):
        """Ends a session that may still run; what it said is given."""
        session.terminate()
        try:
            return session.communicate(timeout=30)
        finally:
            session.kill()

    def start_on_terminal(self, options, command):
        return PtyDriver(self.start_argv(options, command), self.environment, self.project)

    def query(self, *arguments):
        done = subprocess.run([self.agentctl, *arguments], env=self.environment, cwd=self.root, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=30, check=False)
        if done.returncode != 0:
            raise AssertionError(f"agentctl {' '.join(arguments)}: exit status {done.returncode}: {done.stderr}")
        return done.stdout

    def status(self, name):
        sessions = json.loads(self.query("status", name, "--json"))
        return sessions[0] if isinstance(sessions, list) else sessions

    def receipts(self):
        return [json.loads(path.read_text()) for path in (self.home / ".local/state/agentctl").rglob("*.json")]

    def make_pipe(self, name, access=os.O_RDONLY):
        """A named pipe in the project: what a tool call writes to it arrives here, or (O_RDWR) the other way round."""
        os.mkfifo(self.project / name)
        self.pipes[name] = os.open(self.project / name, access | os.O_NONBLOCK | os.O_CLOEXEC)

    def hear(self, name, process, seconds=START_SECONDS):
        """The next line that a tool call of the session run by `process` writes to the pipe."""
        pidfd = os.pidfd_open(process.pid)
        try:
            ready = select.select([self.pipes[name], pidfd], [], [], seconds)[0]
        finally:
            os.close(pidfd)
        if self.pipes[name] in ready:
            return os.read(self.pipes[name], 4096).decode()
        seen = [exchange.said for exchange in self.model.exchanges]
        ended = "the session ended" if ready else f"not within {seconds} s"
        raise Deadline(f"no tool call wrote to '{name}': {ended}; the model said {seen}")

    def let_go(self, name):
        os.write(self.pipes[name], b"\n")

    def wait_until_closed(self, name, seconds=10):
        """Waits until the last process that held the pipe open for writing is gone."""
        poller = select.poll()
        poller.register(self.pipes[name], 0)
        if not poller.poll(seconds * 1000):
            raise Deadline(f"a process still holds '{name}' open after {seconds} s")
