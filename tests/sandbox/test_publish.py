# SPDX-License-Identifier: Apache-2.0
"""publish: a server inside a session is reached on this machine's loopback, from outside alone, and nobody else is."""
import contextlib
import os
import pathlib
import select
import signal
import socket
import struct
import unittest

import processes
from ports import free_port
from published import PublishCase, fetch
from waiting import wait_for_end

# Serves over the family that it is given, and says so; a word on its standard input ends it.
SERVER = """
import http.server, socket, sys
class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = ("inside at " + self.server.server_address[0] + " " + self.path).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = Server((sys.argv[1], int(sys.argv[2])), Answer)
open(".ready", "w").write("serves\\n")
server.serve_forever()
"""
ECHO = """
import socket
listener = socket.create_server(("127.0.0.1", PORT))
open(".ready", "w").write("serves\\n")
peer, _ = listener.accept()
total = 0
while block := peer.recv(65536):
    total += len(block)
    peer.sendall(block)
open("total", "w").write(str(total))
peer.close()
open(".ready", "w").write("done\\n")
import signal
signal.pause()
"""

# Keeps every connection; says that it has sent something more once the other side has ended, but for "quiet" ones.
KEEP = """
import selectors, socket
listener = socket.create_server(("127.0.0.1", PORT), backlog=300)
open(".ready", "w").write("serves\\n")
selector = selectors.DefaultSelector()
selector.register(listener, selectors.EVENT_READ)
kept, quiet = [], set()
while True:
    for key, _ in selector.select():
        if key.fileobj is listener:
            peer, _ = listener.accept()
            kept.append(peer)
            selector.register(peer, selectors.EVENT_READ)
            continue
        peer = key.fileobj
        try:
            text = peer.recv(100)
        except OSError:
            text = b""
        if text:
            peer.sendall(b"heard")
            if text == b"quiet":
                quiet.add(peer)
            if text == b"half":
                selector.unregister(peer)
                open(".ready", "w").write("half\\n")
            continue
        selector.unregister(peer)
        if peer in quiet:
            continue
        try:
            peer.sendall(b"more")
        except OSError:
            pass
        open(".ready", "w").write("sent\\n")
"""


class ServerCase(PublishCase):
    def setUp(self):
        super().setUp()
        (self.machine.project / "serve.py").write_text(SERVER)

    @contextlib.contextmanager
    def server(self, address="127.0.0.1", options=()):
        with self.machine.session(f"exec python3 serve.py {address} {self.port}", "--net", "none", *options, waits=True) as session:
            yield session


class Publish(ServerCase):
    def test_a_server_is_reached_on_the_same_port_and_no_longer_after_unpublish(self):
        with self.server() as session:
            self.assert_closed(self.port)
            told = self.do("publish", "s", str(self.port)).stderr
            self.assertIn(f"http://localhost:{self.port}/", told)
            for host in ("127.0.0.1", "[::1]", "localhost"):
                self.assertEqual(fetch(host, self.port, "/x"), "inside at 127.0.0.1 /x")
            self.assertEqual(session.status()["network"]["published"], [str(self.port)])
            self.assertIn(f"published {self.port}", self.do("status", "s").stdout)
            self.do("unpublish", "s", str(self.port))
            self.assert_closed(self.port)
            self.assertEqual(session.status()["network"]["published"], [])

    def test_it_listens_on_the_loopback_alone(self):
        with self.server():
            self.do("publish", "s", str(self.port))
            wanted = f":{self.port:04X}"
            lines = [line.split() for table in ("tcp", "tcp6") for line in pathlib.Path("/proc/net", table).read_text().splitlines()[1:]]
            listening = [words[1] for words in lines if words[1].endswith(wanted) and words[3] == "0A"]
            self.assertEqual(sorted(listening), sorted([f"0100007F{wanted}", f"{'0' * 24}01000000{wanted}"]))

    def test_another_port_of_this_machine_can_be_chosen_and_a_server_on_ipv6_is_found(self):
        with self.server("::1"):
            other = free_port()
            self.do("publish", "s", f"{other}:{self.port}")
            self.assertEqual(fetch("127.0.0.1", other), "inside at ::1 /")

    def test_it_can_be_published_at_the_start_before_the_server_is_there(self):
        with self.server(options=("--publish", str(self.port))):
            self.assertEqual(fetch("127.0.0.1", self.port), "inside at 127.0.0.1 /")

    def test_a_megabyte_goes_both_ways_and_an_end_arrives(self):
        (self.machine.project / "echo.py").write_text(ECHO.replace("PORT", str(self.port)))
        with self.machine.session("exec python3 echo.py", "--net", "none", waits=True) as session:
            self.do("publish", "s", str(self.port))
            sent = bytes(range(256)) * 4096
            with socket.create_connection(("127.0.0.1", self.port), 10) as peer:
                received = b""
                for at in range(0, len(sent), 32768):
                    peer.sendall(sent[at:at + 32768])
                    while len(received) < at:
                        received += peer.recv(65536)
                peer.shutdown(socket.SHUT_WR)
                while block := peer.recv(65536):
                    received += block
            self.assertEqual(received, sent)
            session.hear()
            self.assertEqual((self.machine.project / "total").read_text(), str(len(sent)))

    def publisher(self, session):
        """The process that a helper in the session's network belongs to."""
        supervisor = session.status()["pids"]["supervisor"]
        [publisher] = [pid for pid in processes.children(supervisor) if any("agentctl" in processes.program(child) for child in processes.children(pid))]
        return publisher

    def test_that_nothing_is_published_any_more_is_told_and_it_can_be_again(self):
        with self.server() as session:
            for lost in (lambda pid: pid, lambda pid: processes.children(pid)[0]):
                self.do("publish", "s", str(self.port))
                publisher = self.publisher(session)
                os.kill(lost(publisher), signal.SIGKILL)
                wait_for_end(publisher, 10)
                status = session.status()
                self.assertEqual(status["network"]["published"], [])
                self.assertIn("nothing is published any more", " ".join(status["warnings"]))
                self.assert_closed(self.port)
            self.do("publish", "s", str(self.port))
            self.assertEqual(fetch("127.0.0.1", self.port), "inside at 127.0.0.1 /")

    def test_peers_that_go_away_in_any_way_cost_nothing_afterwards(self):
        (self.machine.project / "keep.py").write_text(KEEP.replace("PORT", str(self.port)))
        with self.machine.session("exec python3 keep.py", "--net", "none", waits=True) as session:
            self.do("publish", "s", str(self.port))
            for ends in ("reset", "close", "half"):
                peer = socket.create_connection(("127.0.0.1", self.port), 10)
                peer.sendall(ends.encode())
                self.assertEqual(peer.recv(10), b"heard")
                if ends == "half":
                    peer.shutdown(socket.SHUT_WR)
                if ends == "reset":
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if ends != "half":
                    peer.close()
                self.addCleanup(peer.close)
                session.hear()  # what it sent then is on its way, and it keeps the connection
            publisher = self.publisher(session)
            before = processes.wakeups(publisher)
            self.assertEqual(select.select([peer], [], [], 1.0)[0], [])
            self.assertLess(processes.wakeups(publisher) - before, 20)

    def test_clients_that_are_gone_keep_no_others_out(self):
        (self.machine.project / "keep.py").write_text(KEEP.replace("PORT", str(self.port)))
        with self.machine.session("exec python3 keep.py", "--net", "none", waits=True):
            self.do("publish", "s", str(self.port))
            for _ in range(205):
                with socket.create_connection(("127.0.0.1", self.port), 10) as peer:
                    peer.sendall(b"quiet")
                    self.assertEqual(peer.recv(10), b"heard")

    def test_nothing_of_it_outlives_the_session(self):
        with self.server() as session:
            supervisor = session.status()["pids"]["supervisor"]
            self.do("publish", "s", str(self.port))
            helpers = [pid for child in processes.children(supervisor) for pid in (child, *processes.children(child))]
            session.supervisor.kill()
            for pid in helpers:
                wait_for_end(pid, 10)
            self.assert_closed(self.port)

    def test_the_session_cannot_publish_by_itself(self):
        with self.server() as session:
            done = self.machine.run("exec", "s", "--", self.machine.agentctl, "publish", "s", str(self.port))
            self.assertNotEqual(done.returncode, 0)
            self.assert_closed(self.port)
            self.assertEqual(session.status()["network"]["published"], [])


class Refused(ServerCase):
    def refuse(self, words, message, status):
        done = self.machine.run(*words)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, message)

    def test_a_port_that_is_taken(self):
        with self.server() as session, socket.create_server(("127.0.0.1", self.port)):
            self.refuse(("publish", "s", str(self.port)), f"cannot publish on port {self.port} of this machine: Address already in use\nhint: ", 1)
            self.assertEqual(session.status()["network"]["published"], [])
            self.refuse(("start", "--net", "none", "--publish", str(self.port), "--", "touch", "ran"), "Address already in use", 125)
            self.assertFalse((self.machine.project / "ran").exists())

    def test_a_port_twice_and_one_that_is_not_published(self):
        with self.server():
            self.do("publish", "s", str(self.port))
            self.refuse(("publish", "s", str(self.port)), "is published already", 1)
            self.refuse(("unpublish", "s", "1"), "port 1 is not published", 1)

    def test_what_is_no_port(self):
        with self.server():
            for word in ("0", "65536", "x", "80:", ":80", "8080:3000:1", "+80", "080", ""):
                with self.subTest(word=word):
                    self.refuse(("publish", "s", word), "no port to publish", 2)
                    self.refuse(("start", "--publish", word, "--", "true"), "no port to publish", 2)
            self.refuse(("publish", "nobody", "80"), "session 'nobody' not found", 1)

    def test_a_session_that_shares_the_network_of_this_machine(self):
        with self.machine.session(":", "--net", "host"):
            self.refuse(("publish", "s", str(self.port)), "its ports are there already", 1)


if __name__ == "__main__":
    unittest.main()
