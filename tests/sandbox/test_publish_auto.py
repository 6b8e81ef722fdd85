# SPDX-License-Identifier: Apache-2.0
"""publish auto: what the agent opens is reached on this machine's loopback for as long as it is open, and nothing else is."""
import contextlib
import socket
import unittest

from ports import free_port
from published import PublishCase, fetch
from waiting import wait_for_directory_change

# Opens and closes servers as it is told, a line each: "open PORT", "close PORT".
SERVERS = """
import http.server, sys, threading
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"inside"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
servers = {}
def say(text):
    with open(".ready", "w") as ready:
        ready.write(text)
say("ready\\n")
for line in sys.stdin:
    verb, port = line.split()
    if verb == "open":
        servers[port] = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Answer)
        threading.Thread(target=servers[port].serve_forever, daemon=True).start()
    else:
        server = servers.pop(port)
        server.shutdown()
        server.server_close()
    say("done\\n")
"""


class PublishAuto(PublishCase):
    def setUp(self):
        super().setUp()
        (self.machine.project / "servers.py").write_text(SERVERS)

    @contextlib.contextmanager
    def session(self, *options, net="none"):
        with self.machine.session("exec python3 servers.py", "--net", net, *options, waits=True, stdin=-1) as session:
            yield session

    def tell(self, session, verb, port):
        session.supervisor.stdin.write(f"{verb} {port}\n")
        session.supervisor.stdin.flush()
        self.assertEqual(session.hear(), "done\n")

    def wait_for(self, session, published):
        """Until status says so: the record is written whenever that changes."""
        [record] = self.machine.runtime.glob("agentctl/*/record")
        wait_for_directory_change(record.parent, lambda: session.status()["network"]["published"] == published, 15, f"published {published}")

    def test_a_server_is_published_when_it_is_opened_and_no_longer_when_it_is_closed(self):
        with self.session("--publish", "auto") as session:
            self.assertEqual(session.status()["network"]["published"], ["auto"])
            self.tell(session, "open", self.port)
            self.wait_for(session, ["auto", str(self.port)])
            self.assertEqual(fetch("127.0.0.1", self.port), "inside")
            self.tell(session, "close", self.port)
            self.wait_for(session, ["auto"])
            self.assert_closed(self.port)

    def test_what_is_open_already_is_published_at_once_in_a_running_session(self):
        with self.session() as session:
            self.tell(session, "open", self.port)
            self.assert_closed(self.port)
            self.do("publish", "s", "auto")
            self.assertEqual(fetch("127.0.0.1", self.port), "inside")
            self.do("unpublish", "s", "auto")
            self.assert_closed(self.port)
            self.assertEqual(session.status()["network"]["published"], [])

    def test_a_port_that_was_published_by_hand_stays_when_the_server_goes(self):
        with self.session("--publish", str(self.port), "--publish", "auto") as session:
            self.tell(session, "open", self.port)
            other = free_port()
            self.tell(session, "open", other)
            self.wait_for(session, ["auto", str(self.port), str(other)])
            self.tell(session, "close", self.port)
            self.tell(session, "close", other)
            self.wait_for(session, ["auto", str(self.port)])

    def test_a_port_that_is_taken_on_this_machine_is_told_and_the_others_are_published(self):
        with self.session("--publish", "auto") as session, socket.create_server(("127.0.0.1", self.port)):
            self.tell(session, "open", self.port)
            other = free_port()
            self.tell(session, "open", other)
            self.wait_for(session, ["auto", str(other)])
            self.assertIn(f"port {self.port} is not published", " ".join(session.status()["warnings"]))


    def test_it_is_refused_twice_and_where_the_network_is_the_hosts(self):
        with self.session("--publish", "auto") as session:
            done = self.machine.run("publish", session.name, "auto")
            self.assertEqual(done.returncode, 1)
            self.assertIn("published by themselves already", done.stderr)
        done = self.machine.run("start", "--net", "host", "--publish", "auto", "--", "true")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("shares the network of this machine", done.stderr)

    def test_it_cannot_be_ended_where_it_was_not_asked_for(self):
        with self.session() as session:
            done = self.machine.run("unpublish", session.name, "auto")
            self.assertEqual(done.returncode, 1)
            self.assertIn("not published by themselves", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
