# SPDX-License-Identifier: Apache-2.0
"""A running session and what belongs to it, seen from outside."""
import os
import pathlib
import select
import signal
import subprocess

import processes
from waiting import Deadline

READY_SECONDS = 30
PIPE = ".ready"


class LiveSession:
    """`with machine.session("SCRIPT") as session:` the script has run and waits; the session is gone after the block.

    A script that waits by itself writes to .ready when it is ready, and is given with waits=True.
    """

    def __init__(self, machine, script, options, popen_options):
        self.machine = machine
        self.name = popen_options.pop("name", "s")
        waits = popen_options.pop("waits", False)
        options = (*options, *popen_options.pop("options", ()))
        directory = pathlib.Path(popen_options.get("cwd", machine.project))
        self.pipe = directory / PIPE
        os.mkfifo(self.pipe)
        os.chmod(self.pipe, 0o666)  # for a session of another user, too
        self.reader = os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # RDWR: no end of file between writers
        text = script if waits else f"{script}\necho ready > {PIPE}; exec sleep 1000"
        self.supervisor = machine.popen("start", "--name", self.name, *options, "--", "sh", "-c", text, **popen_options)
        self._status = None

    def __enter__(self):
        try:
            self.hear()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def hear(self, seconds=READY_SECONDS):
        """The next lines that the script writes to .ready."""
        pidfd = os.pidfd_open(self.supervisor.pid)
        try:
            ready = select.select([self.reader, pidfd], [], [], seconds)[0]
        finally:
            os.close(pidfd)
        if self.reader in ready and (text := os.read(self.reader, 4096)):
            return text.decode()
        self.supervisor.kill()
        output, errors = self.supervisor.communicate()
        raise Deadline(f"the session said nothing within {seconds} s: {output or ''}{errors or ''}")

    def close(self):
        if self.supervisor.poll() is None:
            self.supervisor.send_signal(signal.SIGKILL)
        self.supervisor.wait()
        for stream in (self.supervisor.stdin, self.supervisor.stdout, self.supervisor.stderr):
            if stream is not None:
                stream.close()
        os.close(self.reader)
        self.pipe.unlink()
        self.machine.run("status")  # sweeps

    def status(self):
        return self.machine.status(self.name)

    @property
    def known(self):
        """Its status as it was when first asked for."""
        if self._status is None:
            self._status = self.status()
        return self._status

    @property
    def cgroup(self):
        return self.known["cgroup"]["path"]

    @property
    def leader(self):
        return self.known["pids"]["leader"]

    def members(self):
        return processes.members(self.cgroup)

    def finish(self, seconds=30):
        """Waits for the supervisor's end; gives its exit status and what it said."""
        try:
            output, errors = self.supervisor.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Deadline(f"the supervisor still runs after {seconds} s") from None
        return subprocess.CompletedProcess([], self.supervisor.returncode, output, errors)
