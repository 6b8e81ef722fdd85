# SPDX-License-Identifier: Apache-2.0
"""A real sshd on loopback, with keys of its own, that lets root in; and the `ssh` that knows the way to it."""
import os
import pathlib
import re
import socket
import subprocess

from waiting import Deadline

KEYS_ALONE = """\
HostKey {keys}/host
AuthorizedKeysFile {keys}/client.pub
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
PrintMotd no
PidFile none
"""
SERVER = KEYS_ALONE + """\
ListenAddress 127.0.0.1
Port {port}
SetEnv {environment}
"""
CLIENT = """\
Host there
    HostName 127.0.0.1
    Port {port}
    User root
    IdentityFile {keys}/client
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile {keys}/known_hosts
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
Host stranger
    HostName 127.0.0.1
    Port {port}
    User root
    UserKnownHostsFile /dev/null
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
Host closed
    HostName 127.0.0.1
    Port {closed}
"""


class Sshd:
    """`with Sshd(machine) as sshd:` agentctl of the machine finds 'there' by ssh, where the same machine is; the server and
    all of its connections are gone afterwards. `path` is the PATH of what runs there."""

    def __init__(self, machine, path=None):
        self.machine = machine
        self.keys = machine.root / "keys"
        self.keys.mkdir()
        for name in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.keys / name], check=True, timeout=20)
        os.makedirs("/run/sshd", 0o755, exist_ok=True)
        there = {**machine.environment, "PATH": path or f"{pathlib.Path(machine.agentctl).parent}:/usr/bin:/bin"}
        self.server_environment = " ".join(f"{name}={value}" for name, value in there.items())
        # A port that nobody listens on: bound, and never listened on.
        self.closed = socket.socket()
        self.closed.bind(("127.0.0.1", 0))
        self.use_ssh()

    def use_ssh(self):
        """ssh reads the configuration in the home that the user database names, which a test leaves alone."""
        programs = self.machine.root / "bin"
        programs.mkdir()
        (programs / "ssh").write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {self.keys}/config "$@"\n')
        (programs / "ssh").chmod(0o755)
        self.machine.environment["PATH"] = f"{programs}:{self.machine.environment['PATH']}"

    def __enter__(self):
        for _ in range(10):
            if self.listen():
                return self
        raise Deadline("sshd found no free port")

    def listen(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        names = {"keys": self.keys, "port": port, "closed": self.closed.getsockname()[1], "environment": self.server_environment}
        (self.keys / "server").write_text(SERVER.format(**names))
        (self.keys / "config").write_text(CLIENT.format(**names))
        host_key = (self.keys / "host.pub").read_text()
        (self.keys / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
        self.process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", self.keys / "server"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if re.search(f"Server listening on .* port {port}", line):
                return True
        self.process.wait()
        self.process.stderr.close()
        return False  # somebody took the port meanwhile

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        self.process.stderr.close()
        self.closed.close()
