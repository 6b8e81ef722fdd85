# SPDX-License-Identifier: Apache-2.0
"""What holds keys on the host, each a context manager that leaves nothing behind: ssh-agent, gpg-agent, and an sshd to log in to."""
import os
import pathlib
import shutil
import subprocess

from ports import free_port
from waiting import open_pidfd, wait_for_end

QUIET = {"check": True, "capture_output": True, "text": True, "stdin": subprocess.DEVNULL}


class SshAgent:
    """A real ssh-agent that holds one key, whose file is gone; its socket is `path`."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "SSH_AUTH_SOCK": str(path)}

    def __enter__(self):
        self.agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(self.path)], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, text=True)
        self.agent.stdout.readline()  # it says where it listens, and then does
        key = self.path.with_name("key")
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", str(key)], **QUIET)
        subprocess.run(["ssh-add", str(key)], env=self.environment, **QUIET)
        self.public_key = key.with_name("key.pub").read_text().strip()
        key.unlink()
        key.with_name("key.pub").unlink()
        return self

    def __exit__(self, *_):
        self.agent.terminate()
        self.agent.communicate(timeout=10)
        self.path.unlink(missing_ok=True)


class SshServer:
    """An sshd of its own on loopback that takes one key; host and port are in `config`, a ready ssh_config."""

    def __init__(self, directory, public_key):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir()
        self.port = free_port()
        (self.directory / "authorized_keys").write_text(public_key + "\n")

    def __enter__(self):
        host_key = self.directory / "host_key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(host_key)], **QUIET)
        os.makedirs("/run/sshd", 0o755, exist_ok=True)  # in a /run of the test's own: with_user_manager
        settings = {"ListenAddress": f"127.0.0.1:{self.port}", "HostKey": host_key, "StrictModes": "no", "UsePAM": "no",
                    "AuthorizedKeysFile": self.directory / "authorized_keys", "PidFile": "none",
                    "PermitRootLogin": "prohibit-password", "PasswordAuthentication": "no"}
        config = self.directory / "sshd_config"
        config.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        sshd = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
        self.server = subprocess.Popen([sshd, "-D", "-e", "-f", str(config)], stdin=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
        said = ""
        while "listening on" not in said:
            line = self.server.stderr.readline()
            if not line:
                raise AssertionError(f"sshd did not start: {said}")
            said += line
        self.host_line = f"[127.0.0.1]:{self.port} {host_key.with_suffix('.pub').read_text()}"
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.communicate(timeout=10)

    def write_client_files(self, home):
        """~/.ssh as the user has it: how to reach `forge`, and its host key."""
        (home / ".ssh").mkdir(mode=0o700)
        known_hosts = home / ".ssh/known_hosts"
        known_hosts.write_text(self.host_line)
        (home / ".ssh/config").write_text(f"Host forge\n  HostName 127.0.0.1\n  Port {self.port}\n  User root\n"
                                          f"  UserKnownHostsFile {known_hosts}\n")


class GpgAgent:
    """A GnuPG home with one key without passphrase, and its running agent."""

    def __init__(self, home, environment):
        self.home = pathlib.Path(home)
        self.environment = environment

    def run(self, *argv):
        return subprocess.run(argv, env=self.environment, **QUIET).stdout

    def __enter__(self):
        # The user manager would start one for root's own home.
        units = [f"gpg-agent{kind}.socket" for kind in ("", "-extra", "-ssh", "-browser")]
        subprocess.run(["systemctl", "--user", "stop", *units], check=False, capture_output=True)
        self.home.mkdir(mode=0o700)
        self.run("gpgconf", "--create-socketdir")
        self.run("gpg", "--batch", "--passphrase", "", "--quick-gen-key", "Ada <ada@example.org>", "ed25519", "sign", "never")
        listing = self.run("gpg", "--list-keys", "--with-colons")
        if not list(self.home.glob("private-keys-v1.d/*.key")):
            raise AssertionError("the key is in the home of another agent")
        self.fingerprint = next(line.split(":")[9] for line in listing.splitlines() if line.startswith("fpr"))
        return self

    def __exit__(self, *_):
        pid = next(int(line[2:]) for line in self.run("gpg-connect-agent", "GETINFO pid", "/bye").splitlines() if line[:2] == "D ")
        pidfd = open_pidfd(pid)
        self.run("gpgconf", "--kill", "gpg-agent")
        if pidfd is not None:
            os.close(pidfd)
            wait_for_end(pid)
        self.run("gpgconf", "--remove-socketdir")
