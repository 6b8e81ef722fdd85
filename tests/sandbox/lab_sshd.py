# SPDX-License-Identifier: Apache-2.0
"""A real sshd on the internet's address and port 22, behind which git finds its repositories; and what a client needs for it."""
import os
import pathlib
import re
import subprocess

from net_lab import inside
from net_lab_names import INTERNET
from sshd import KEYS_ALONE
from waiting import Deadline

SERVER = KEYS_ALONE + """\
ListenAddress {address}
Port 22
"""


class LabSshd:
    """The client's key and known hosts lie in `directory`, where a session sees them; the server ends with the block."""

    def __init__(self, lab, directory, host):
        self.lab = lab
        self.keys = pathlib.Path(directory)
        for name in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.keys / name], check=True, timeout=20)
        public = (self.keys / "host.pub").read_text()
        (self.keys / "known_hosts").write_text(f"{host} {public}")
        (self.keys / "server").write_text(SERVER.format(address=INTERNET, keys=self.keys))
        self.command = (f"ssh -F /dev/null -i {self.keys}/client -o IdentitiesOnly=yes -o IdentityAgent=none "
                        f"-o UserKnownHostsFile={self.keys}/known_hosts -o StrictHostKeyChecking=yes -o BatchMode=yes")

    def __enter__(self):
        os.makedirs("/run/sshd", 0o755, exist_ok=True)
        argv = inside(self.lab.router, "/usr/sbin/sshd", "-D", "-e", "-f", str(self.keys / "server"))
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if re.search("Server listening on", line):
                return self
        self.process.wait()
        raise Deadline(f"sshd does not listen: {''.join(said)}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        self.process.stderr.close()
