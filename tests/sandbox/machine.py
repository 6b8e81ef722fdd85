# SPDX-License-Identifier: Apache-2.0
"""A home, a project and agentctl, for tests that run beside a user manager (tests/support/with_user_manager)."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile


class Machine:
    """`with Machine() as machine:` everything in it is gone afterwards."""

    def __init__(self):
        self.agentctl = os.environ["AGENTCTL"]
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="agentctl-sandbox-", dir="/var/tmp"))
        self.home = self.root / "home"
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        self.environment = {
            "HOME": str(self.home),
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def popen(self, *arguments, **options):
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([self.agentctl, *arguments], env=self.environment, cwd=self.project, **{**pipes, **options})

    def run(self, *arguments, seconds=60, **options):
        process = self.popen(*arguments, **options)
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def start(self, script, *options, **popen_options):
        return self.run("start", *options, "--", "sh", "-c", script, **popen_options)

    def status(self, name):
        return json.loads(self.run("status", "--json", name).stdout)

    def sessions(self):
        return json.loads(self.run("status", "--json").stdout)
