# SPDX-License-Identifier: Apache-2.0
"""A certificate authority of a test's own, and what it certifies: made by openssl, at once, for two days."""
import pathlib
import ssl
import subprocess


class Authority:
    """Its files lie in `directory`: `certificate` is what a client is to trust."""

    def __init__(self, directory):
        self.place = pathlib.Path(directory)
        self.certificate = self.place / "authority.pem"
        self.make("authority", "-addext", "basicConstraints=critical,CA:TRUE")

    def make(self, name, *options):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", f"/CN=agentctl test {name}", "-keyout", str(self.place / f"{name}.key"),
                        "-out", str(self.place / f"{name}.pem"), *options], check=True, capture_output=True, timeout=60)

    def certify(self, name, hosts, addresses=()):
        """The paths of a certificate for the hosts, and of its key."""
        names = ",".join([f"DNS:{host}" for host in hosts] + [f"IP:{address}" for address in addresses])
        self.make(name, "-addext", f"subjectAltName={names}", "-addext", "basicConstraints=critical,CA:FALSE",
                  "-CA", str(self.certificate), "-CAkey", str(self.place / "authority.key"))
        return self.place / f"{name}.pem", self.place / f"{name}.key"


def server_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
