# SPDX-License-Identifier: Apache-2.0
"""--net allowlist: a request that somebody could read in two ways goes nowhere, and nothing rides behind one that goes on; what TLS
asks for is the host that was asked for; and whoever says half of what it wants holds nobody up."""
import re
import time
import unittest

import fronts
import smuggled
import tls_hello
from door_case import DoorCase, allow
from net_lab_names import RECORDER

HOST = smuggled.HOST.decode()
CONNECT = b"CONNECT recorder.example.com:443 HTTP/1.1\r\nHost: recorder.example.com:443\r\n\r\n"
PATIENCE = 5.0  # seconds in which others are served, whoever else is slow
HALF_HEADS = 150


class Recorded(DoorCase):
    def recorded(self, connections=0):
        """What has come to the recorder since the last call; first the end of so many connections is waited for."""
        lines = []
        for _ in range(connections):
            lines += self.lab.raw.take_until(lambda line: line["kind"] == "end", what="the end of a connection")
        return "".join(line["text"] for line in lines + self.lab.raw.take() if line["kind"] == "piece")

    def await_recorded(self, text):
        got = ""
        while got != text:
            got += self.lab.raw.wait_for(lambda line: line["kind"] == "piece", what="all that was sent")["text"]
            self.assertTrue(text.startswith(got), got)

    def setUp(self):
        super().setUp()
        self.lab.raw.take()


class Requests(Recorded):
    def as_origin(self, request):
        """As a program says it that speaks to the host itself."""
        return re.sub(rb"^([A-Z]+) http://[^/ ]*/", rb"\1 /", request)

    def send(self, caller, request, front):
        if front == "proxy":
            peer = caller.connect()
        else:
            peer, request = caller.connect(fronts.lookup(caller, smuggled.HOST), 80), self.as_origin(request)
        with peer:
            peer.send(request)
            return fronts.http_outcome(peer.receive(seconds=30)), peer.ended

    def test_what_can_be_read_in_two_ways_goes_nowhere(self):
        with self.caller(*allow(HOST)) as caller:
            for front in ("proxy", "origin"):
                for name, request in smuggled.REFUSED.items():
                    has_form = self.as_origin(request) != request or b"http://" not in request.split(b"\r\n")[0]
                    if front == "origin" and (not has_form or name in smuggled.TO_A_PROXY):
                        continue
                    with self.subTest(front=front, case=name):
                        outcome, ended = self.send(caller, request, front)
                        self.assertFalse(outcome.reached, outcome)
                        self.assertNotEqual(ended, "time")
                        self.assertIn(outcome.code, (400, 403, 431, 501, None), outcome)
                        self.assert_untouched()
                        self.assertEqual(self.recorded(), "")

    def test_nothing_rides_behind_a_request_that_goes_on(self):
        with self.caller(*allow(HOST)) as caller:
            for front in ("proxy", "origin"):
                for name, request in smuggled.CUT.items():
                    with self.subTest(front=front, case=name):
                        self.send(caller, request, front)
                        seen = self.look()
                        text = self.recorded(len(seen.connections()))
                        self.assertLessEqual(set(seen.connections()), {(RECORDER, 80)})
                        self.assertLessEqual(set(seen.names()), {HOST})
                        self.assertNotIn(smuggled.MARK.decode(), text)
                        self.assertNotIn("evil.net", text)
                        self.assertLessEqual(len(re.findall(r"HTTP/1\.1\r\n", text)), 1)

    def test_what_goes_on_is_said_anew(self):
        fields = (b"X-One: kept", b"User-Agent: test", b"Keep-Alive: 5", b"TE: trailers", b"Proxy-Authorization: Basic x", b"Upgrade: h2c")
        with self.caller(*allow(HOST)) as caller:
            outcome, _ = self.send(caller, smuggled.get(*fields, line=b"GET http://RECORDER.example.com./a?b=c HTTP/1.1"), "proxy")
            self.assertIn("recorded\n", outcome.text)
            head, _, rest = self.recorded(1).partition("\r\n\r\n")
            self.assertEqual(rest, "")
            lines = head.split("\r\n")
            self.assertEqual(lines[0], "GET /a?b=c HTTP/1.1")
            self.assertEqual(sorted(lines[1:]), sorted([f"Host: {HOST}", "X-One: kept", "User-Agent: test", "Connection: close"]))

    def test_a_second_request_on_the_same_connection_is_judged_by_itself(self):
        with self.caller(*allow(HOST)) as caller, caller.connect() as peer:
            peer.send(smuggled.get())
            self.assertIn(b"recorded\n", peer.receive(until=b"recorded\n"))
            peer.send(smuggled.SECOND)
            answer = peer.receive(seconds=30)
            self.assertNotEqual(peer.ended, "time")
            self.assertNotIn(b"HTTP/1.1 200", answer)
            self.assert_reached((RECORDER, 80), names=[HOST])


class Tls(Recorded):
    def tunnel(self, caller):
        peer = caller.connect()
        peer.send(CONNECT)
        self.assertTrue(peer.receive(until=b"\r\n\r\n").startswith(b"HTTP/1.1 200"))
        return peer

    def refuse(self, hello, alert=True):
        """By a tunnel and without one: nobody outside is connected to."""
        with self.caller(*allow(HOST, "example.com")) as caller:
            for open_peer in (lambda: self.tunnel(caller), lambda: caller.connect(fronts.lookup(caller, HOST.encode()), 443)):
                with open_peer() as peer:
                    peer.send(hello)
                    answer = peer.receive(seconds=30)
                    self.assertNotEqual(peer.ended, "time", answer)
                    if alert:
                        self.assertTrue(tls_hello.is_alert(answer), answer)
                    self.assertEqual(self.look().connections(), [])
        self.assertEqual(self.recorded(), "")

    def test_fronting_is_refused_before_anybody_is_connected_to(self):
        for name in (b"evil.net", b"example.com", b"api.recorder.example.com", b"ecorder.example.com"):
            with self.subTest(name=name):
                self.refuse(tls_hello.client_hello(name))

    def test_tls_that_names_nobody_is_refused(self):
        self.refuse(tls_hello.client_hello())

    def test_tls_that_names_two_is_refused(self):
        self.refuse(tls_hello.client_hello(HOST.encode(), b"evil.net"))
        self.refuse(tls_hello.client_hello(b"evil.net", HOST.encode()))

    def test_a_name_behind_an_encrypted_hello_counts_as_it_is_seen(self):
        grease = tls_hello.extension(tls_hello.ENCRYPTED, b"\0" * 40)
        self.refuse(tls_hello.client_hello(b"evil.net", more=grease))

    def test_a_hello_in_many_records_is_read_as_a_whole(self):
        self.refuse(tls_hello.in_records(tls_hello.client_hello(b"evil.net"), 1))
        self.refuse(tls_hello.in_records(tls_hello.client_hello(b"evil.net"), 60))

    def test_what_is_no_tls_does_not_go_to_port_443(self):
        for words in (b"GET / HTTP/1.1\r\nHost: recorder.example.com\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\x80\x2e\x01\x03\x01" + b"\0" * 40,
                      b"\x16\x03\x01\x00\x00", b"\x16\x03\x01\xff\xff" + b"\1" * 200, b"\x17\x03\x03\0\5hello", b"\x16\x09\x09\0\5hello"):
            with self.subTest(words=words):
                self.refuse(words, alert=False)

    def test_the_hello_goes_on_as_it_came(self):
        hello = tls_hello.in_records(tls_hello.client_hello(b"Recorder.Example.com", asks_again=True), 50)
        with self.caller(*allow(HOST)) as caller, self.tunnel(caller) as peer:
            peer.send(hello)
            self.assertEqual(peer.receive(size=1), b"\x16")
            self.await_recorded(hello.decode("latin-1"))

    def test_a_second_hello_for_another_host_does_not_arrive(self):
        first = tls_hello.client_hello(HOST.encode(), asks_again=True)
        for second in (tls_hello.client_hello(b"evil.net"), tls_hello.client_hello(), b"\x14\x03\x03\0\1\1" + tls_hello.client_hello(b"evil.net")):
            with self.subTest(second=second), self.caller(*allow(HOST)) as caller, self.tunnel(caller) as peer:
                peer.send(first)
                self.assertEqual(peer.receive(size=1), b"\x16")  # "say hello again"
                peer.send(second)
                answer = peer.receive(seconds=30)
                self.assertNotEqual(peer.ended, "time")
                self.assertTrue(tls_hello.is_alert(answer), answer)
                arrived = self.recorded(1).encode("latin-1")
                self.assertEqual(arrived.replace(b"\x14\x03\x03\0\1\1", b""), first)

    def test_a_second_hello_for_the_same_host_arrives(self):
        first, second = (tls_hello.client_hello(HOST.encode(), asks_again=True) for _ in range(2))
        with self.caller(*allow(HOST)) as caller, self.tunnel(caller) as peer:
            peer.send(first)
            peer.receive(size=1)
            peer.send(second)
            self.await_recorded((first + second).decode("latin-1"))


class OtherProtocols(Recorded):
    def socks(self, caller, *steps):
        with caller.connect() as peer:
            for step in steps:
                peer.send(step)
            answer = peer.receive(seconds=30)
            self.assertNotEqual(peer.ended, "time", answer)
            return answer

    def test_socks4_is_not_spoken(self):
        with self.caller(*allow("example.com")) as caller:
            for request in (b"\x04\x01\x01\xbb\x5d\xb8\xd8\x22ada\0", b"\x04\x01\x01\xbb\0\0\0\1ada\0example.com\0", b"\x04\x02\0\x50\0\0\0\1\0evil.net\0"):
                with self.subTest(request=request):
                    self.assertNotEqual(self.socks(caller, request)[:2], b"\x00\x5a")
                    self.assert_untouched()

    def test_nothing_listens_and_no_datagram_leaves_by_socks(self):
        name = b"\x03\x0bexample.com\x01\xbb"
        requests = {b"bind": b"\x05\x02\0" + name, b"datagrams": b"\x05\x03\0" + name, b"none": b"\x05\0\0" + name, b"many": b"\x05\xff\0" + name,
                    b"reserved": b"\x05\x01\1" + name, b"type": b"\x05\x01\0\x09" + name[1:], b"empty": b"\x05\x01\0\x03\0\x01\xbb",
                    b"port": b"\x05\x01\0\x03\x0bexample.com\0\0", b"version": b"\x04\x01\0" + name}
        with self.caller(*allow("example.com")) as caller:
            for word, request in requests.items():
                with self.subTest(word=word):
                    answer = self.socks(caller, b"\x05\x01\0", request)
                    self.assertEqual(answer[:2], b"\x05\0")
                    self.assertNotEqual(answer[2:4], b"\x05\0")
                    self.assert_untouched()

    def test_a_greeting_that_offers_nothing_or_too_much_is_refused(self):
        with self.caller(*allow("example.com")) as caller:
            for greeting in (b"\x05\0", b"\x05\xff" + bytes(255), b"\x05\x01\x02", b"\x05\x02\x01\x02"):
                with self.subTest(greeting=greeting):
                    self.assertIn(self.socks(caller, greeting), (b"\x05\xff", b""))
            self.assert_untouched()


class Slow(Recorded):
    """Halves of what could become a request."""

    def serve_others(self, caller):
        began = time.monotonic()
        for front in ("CONNECT", "absolute form", "SOCKS5", "a name without a proxy"):
            self.assertTrue(fronts.FRONTS[front](caller, b"example.com").reached, front)
        self.assertLess(time.monotonic() - began, PATIENCE)

    def test_half_a_head_holds_nobody_up(self):
        halves = [b"", b"G", b"GET http://example.com/ HTTP/1.1\r\nHost: exam", b"\x05", b"\x05\x01\0\x05\x01\0\x03\x0bexam"]
        with self.caller(*allow("example.com")) as caller:
            held = []
            for at in range(HALF_HEADS):
                peer = caller.connect()
                peer.send(halves[at % len(halves)])
                held.append(peer)
            self.serve_others(caller)
            for peer in held[:20]:
                peer.send(b"p")  # one byte more
            self.serve_others(caller)

    def test_half_a_hello_and_half_a_question_hold_nobody_up(self):
        half = tls_hello.client_hello(b"example.com")[:50]
        with self.caller(*allow("example.com")) as caller:
            address = fronts.lookup(caller, b"example.com")
            for _ in range(30):
                caller.connect(address, 443).send(half)
                caller.connect(*fronts.NAMES).send(b"\0")
            self.serve_others(caller)

    def test_half_a_head_is_waited_for_no_longer_than_a_minute_or_so(self):
        with self.caller(*allow("example.com")) as caller, caller.connect() as peer:
            peer.send(b"GET http://example.com/ HTTP/1.1\r\n")
            peer.receive(seconds=90)
            self.assertNotEqual(peer.ended, "time")
        self.assert_untouched()

    def test_a_client_that_reads_nothing_holds_nobody_up(self):
        with self.caller(*allow("example.com")) as caller:
            for _ in range(4):
                peer = caller.connect()
                peer.send(b"GET http://example.com/bytes/100000000 HTTP/1.1\r\nHost: example.com\r\n\r\n")
            self.serve_others(caller)


if __name__ == "__main__":
    unittest.main()
