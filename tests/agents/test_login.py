# SPDX-License-Identifier: Apache-2.0
"""STATE-06: a login from inside. The agent listens on loopback, a browser outside comes back to it, the login is kept."""
import os
import sys
import unittest
import urllib.parse

from fake_issuer import REFRESH_TOKEN, FakeIssuer
from session import START_SECONDS, Scratch

# Both call a program to show the page; here it hands the address out.
OPENER = "#!/bin/sh\nprintf '%s\\n' \"$1\" > {pipe}\n"
LOGIN = {
    "claude": (["claude", "auth", "login"], ".claude/.credentials.json"),
    "codex": (["codex", "login"], ".codex/auth.json"),
}


class Login(unittest.TestCase):
    agent = ""

    def test_state_06_a_login_comes_back_over_the_callback_port_and_outlives_the_session(self):
        command, kept = LOGIN[self.agent]
        with FakeIssuer() as issuer, Scratch(self.agent) as scratch:
            scratch.make_pipe(".opened")
            opener = scratch.project / "opener"
            opener.write_text(OPENER.format(pipe=scratch.project / ".opened"))
            opener.chmod(0o755)
            authority = scratch.project / "authority.pem"
            authority.write_text(issuer.authority.read_text())
            options = ["--name", "login", "--net", "host", "--env", f"BROWSER={opener}"]
            for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"):
                options += ["--env", f"{name}={authority}"]
            for name in list(scratch.environment):
                if name.startswith("ANTHROPIC_"):
                    del scratch.environment[name]
            scratch.agent.environment = {}
            self.assertFalse((scratch.home / kept).exists())
            session = scratch.start(options, command)
            try:
                url = scratch.hear(".opened", session).strip()
                back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))["redirect_uri"]
                self.assertRegex(back, r"^http://(localhost|127\.0\.0\.1):\d+/")
                status, _ = issuer.browse(url)
                output, errors = session.communicate(timeout=START_SECONDS)
            except Exception as error:
                raise AssertionError(f"{error}\n--- agentctl said\n{scratch.end(session)}") from error
            said = f"\n--- stdout\n{output}\n--- stderr\n{errors}"
            self.assertEqual((status, session.returncode), (200, 0), said)
            self.assertTrue(any("the-code" in request for request in issuer.server.token_requests), said)
            self.assertIn(REFRESH_TOKEN, (scratch.home / kept).read_text(), said)
            self.assertEqual(os.stat(scratch.home / kept).st_mode & 0o077, 0)

    def test_state_06_without_an_opener_the_address_is_printed(self):
        command, _ = LOGIN[self.agent]
        with Scratch(self.agent) as scratch, scratch.start_on_terminal(["--net", "host"], command) as terminal:
            terminal.expect("oauth/authorize")
            terminal.send("\x03")
            terminal.wait(30)


if __name__ == "__main__":
    Login.agent = sys.argv.pop(1)
    unittest.main(verbosity=2)
