# SPDX-License-Identifier: Apache-2.0
"""The lab with servers of every kind on the internet, and a canary that sees all that leaves the machine.

    web.test, other.test, and whatever else is named in HOSTS    web server (web_answers.py), 93.184.216.34 and IPv6, ports 80 and 443
    any other name that the lab knows (net_lab_names.py)         the same address, and no certificate
    port 7000 there                                              an echo that speaks first (raw_server.py)
    recorder.example.com                                         keeps every byte (raw_server.py)
    h2.test                                                      HTTP/2 and nothing else (http2_server.js)

All ends with the lab.
"""
import pathlib
import subprocess
import sys

from authority import Authority
from canary import Canary
from net_lab import HERE, NetLab
from net_lab_names import HTTP2, INTERNET, INTERNET6
from told_lines import ToldLines

HOSTS = ["web.test", "other.test", "registry.test", "pypi.test", "git.test", "h2.test", "mixed.test", "flip.test", "six.test",
         "hosts-only.test", "example.com", "api.example.com"]


class Internet(NetLab):
    """`with Internet(directory) as lab:`; the authority's certificate is what clients are to trust."""

    def build(self):
        super().build()
        self.heard = [ToldLines(server) for server in self.servers]  # by nobody, so that they never wait
        place = self.directory / "internet"
        place.mkdir()
        self.served = place / "served"
        (self.served / "files").mkdir(parents=True)
        self.issuer = Authority(place)
        self.authority = self.issuer.certificate
        certificate, key = self.issuer.certify("server", HOSTS, [INTERNET, INTERNET6])
        self.web = self.tell("web_server.py", INTERNET6, certificate, key, self.served)
        self.raw = self.tell("raw_server.py")
        self.begin(self.router, "node", str(HERE / "http2_server.js"), HTTP2, str(certificate), str(key))
        self.canary = Canary(self, self.machine)

    def tell(self, program, *words, place=None):
        """What the server says of those who come to it."""
        return ToldLines(self.begin(place or self.router, sys.executable, str(HERE / program), *map(str, words)))

    def give_certificate(self, project):
        """A session sees it there, under this path."""
        path = pathlib.Path(project) / "authority.crt"  # whose name is no secret's
        path.write_bytes(self.authority.read_bytes())
        return path

    def make_repository(self, name):
        """A bare repository with one commit, at git/NAME of what is served."""
        bare = self.served / name
        subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", bare], check=True, timeout=20)
        tree = self.directory / "tree"
        identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
        subprocess.run(["git", "init", "-q", "--initial-branch=main", tree], check=True, timeout=20)
        (tree / "file").write_text("from the internet\n")
        for words in (["add", "file"], [*identity, "commit", "-qm", "first"], ["push", "-q", bare, "main"]):
            subprocess.run(["git", "-C", tree, *words], check=True, timeout=20)
        return bare
