# SPDX-License-Identifier: Apache-2.0
"""[network] host-ports: single services of this machine's loopback are reached inside, and no others; publish, as a policy says it."""
import contextlib
import http.server
import socket
import threading
import unittest

from machine import Machine

FETCH = "python3 -c 'import sys, urllib.request as r; print(r.build_opener(r.ProxyHandler({})).open(sys.argv[1], timeout=10).read().decode())'"


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"of the host"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server6(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


@contextlib.contextmanager
def served(host="127.0.0.1", port=0):
    made = (Server6 if ":" in host else http.server.ThreadingHTTPServer)((host, port), Answer)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield made.server_address[1]
    finally:
        made.shutdown()
        made.server_close()


class HostPorts(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def policy(self, text):
        directory = self.machine.home / ".config/agentctl"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "policy.toml").write_text(f"[network]\nmode = \"allowlist\"\n{text}\n")

    def fetch(self, port, *options, host="127.0.0.1"):
        return self.machine.start(f"{FETCH} http://{host}:{port}/", "-q", *options)

    def test_a_service_of_this_machine_is_reached_inside_on_the_same_port(self):
        with served() as port:
            self.policy(f"host-ports = [{port}]")
            for host in ("127.0.0.1", "localhost"):
                done = self.fetch(port, host=host)
                self.assertEqual(done.stdout, "of the host\n", done.stderr)

    def test_one_that_listens_on_ipv6_alone_is_reached_too(self):
        with served("::1") as port:
            self.policy(f"host-ports = [\"{port}\"]")
            self.assertEqual(self.fetch(port).stdout, "of the host\n")

    def test_no_other_port_is_reached_nor_this_one_without_the_rule(self):
        with served() as port, served() as other:
            self.policy(f"host-ports = [{port}]")
            self.assertIn("refused", self.fetch(other).stderr)
            self.policy("")
            self.assertIn("refused", self.fetch(port).stderr)
            self.policy(f"host-ports = [{port}]")
            self.assertNotEqual(self.fetch(port, "--net", "none").returncode, 0)

    def test_a_service_that_comes_later_is_reached_once_it_is_there(self):
        with served() as port:
            pass
        self.policy(f"host-ports = [{port}]")
        with self.machine.session(":") as session:
            fetch = ("exec", session.name, "--", "sh", "-c", f"{FETCH} http://127.0.0.1:{port}/")
            self.assertNotEqual(self.machine.run(*fetch).returncode, 0)
            with served(port=port):
                self.assertEqual(self.machine.run(*fetch).stdout, "of the host\n")

    def test_nat_has_none_and_says_so(self):
        self.policy("host-ports = [11434]")
        done = self.machine.start("touch ran", "--net", "nat")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("'host-ports' needs the network mode \"allowlist\"", done.stderr)
        self.assertFalse((self.machine.project / "ran").exists())

    def test_a_project_opens_none_and_publishes_none(self):
        for text, what in (("host-ports = [11434]", "open the port of this machine '11434'"), ("publish = [3000]", "open the port on this machine '3000'")):
            with self.subTest(text=text):
                (self.machine.project / ".agentctl.toml").write_text(f"[network]\n{text}\n")
                done = self.machine.start("touch ran")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(what, done.stderr)
                self.assertFalse((self.machine.project / "ran").exists())

    def test_what_a_policy_publishes_is_published_at_the_start_and_not_where_the_network_is_the_hosts(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.policy(f"publish = [{port}]")
        with self.machine.session(":") as session:
            self.assertEqual(session.status()["network"]["published"], [str(port)])
        with self.machine.session(":", "--net", "host") as session:
            self.assertEqual(session.status()["network"]["published"], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
