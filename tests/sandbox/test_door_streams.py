# SPDX-License-Identifier: Apache-2.0
"""--net allowlist: what lasts, what is large and what goes both ways passes as it does without a door: websockets, server-sent events,
uploads, connections that are idle for long, HTTP/2, many at once."""
import hashlib
import time
import unittest

import door_process
import fronts
from door_case import DoorCase, allow, eventually
from net_lab_names import HTTP2, INTERNET

BARE = 'env -i PATH="$PATH" HOME="$HOME"'
# Each further event is sent only once the one before has arrived here.
EVENTS = """
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1])
opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))
for at, base in enumerate(sys.argv[3:]):
    name = sys.argv[2] + str(at)
    stream = opener.open(base + "/events/" + name, timeout=20)
    for number in range(1, 6):
        line = stream.readline().decode().strip()
        assert line == f"data: event {number}", line
        stream.readline()
        opener.open(base + "/go/" + name, timeout=20).read()
    print("five events", base)
"""
WEBSOCKET = """
import sys, websocket
for base in sys.argv[2:]:
    options = {"ca_certs": sys.argv[1]} if base.startswith("wss") else {}
    peer = websocket.create_connection(base + "/websocket", timeout=20, sslopt=options)
    for text in ("one", "two", "three" * 10000):
        peer.send(text)
        assert peer.recv() == text
    peer.close()
    print("three echoes", base)
"""
SIZE = 300_000_000
IDLE_SECONDS = 65


class Streams(DoorCase):
    def both(self, fetch, seconds=120):
        """What a command prints with proxy variables, which must be what it prints without."""
        lines = self.said(f"{fetch}; {BARE} {fetch}", *allow("web.test"), seconds=seconds).splitlines()
        first, second = lines[:len(lines) // 2], lines[len(lines) // 2:]
        self.assertEqual(first, second)
        return first

    def test_server_sent_events_arrive_one_by_one(self):
        (self.project / "events.py").write_text(EVENTS)
        bases = "http://web.test https://web.test"
        said = self.said(f"python3 events.py $CA with {bases}; {BARE} python3 events.py $CA without {bases}", *allow("web.test"))
        self.assertEqual(said.splitlines(), [f"five events {base}" for base in bases.split()] * 2)

    def test_a_websocket_goes_both_ways(self):
        (self.project / "talk.py").write_text(WEBSOCKET)
        said = self.both("/usr/bin/python3 talk.py $CA ws://web.test wss://web.test")
        self.assertEqual(said, ["three echoes ws://web.test", "three echoes wss://web.test"])

    def test_an_upload_of_hundreds_of_megabytes_arrives_whole(self):
        digest = hashlib.sha256()
        block = b"\0" * (1 << 20)
        for at in range(0, SIZE, len(block)):
            digest.update(block[:SIZE - at])
        wanted = f"{SIZE} {digest.hexdigest()}"
        for url in ("http://web.test/upload", "https://web.test/upload"):
            with self.subTest(url=url):
                script = (f"head -c {SIZE} /dev/zero > zeros; curl -sS --cacert $CA -T zeros {url}; head -c {SIZE} /dev/zero | "
                          f"{BARE} curl -sS --cacert $CA -T - {url}; rm zeros")
                self.assertEqual(self.said(script, *allow("web.test"), seconds=200).splitlines(), [wanted, wanted])

    def test_a_download_of_hundreds_of_megabytes_arrives_whole(self):
        said = self.both(f"curl -sS --cacert $CA -o /dev/null -w '%{{size_download}}\\n' http://web.test/bytes/{SIZE} -o /dev/null https://web.test/bytes/{SIZE}",
                         seconds=200)
        self.assertEqual(said, [str(SIZE)] * 2)

    def test_a_side_that_has_nothing_more_to_say_still_hears(self):
        with self.caller(*allow("web.test:7000")) as caller, caller.connect() as peer:
            peer.send(b"CONNECT web.test:7000 HTTP/1.1\r\nHost: web.test:7000\r\n\r\n")
            peer.receive(until=b"\r\n\r\nready\n")
            sent = bytes(range(256)) * 4000
            peer.send(sent)
            peer.finish()
            self.assertEqual(peer.receive(size=2 * len(sent)), sent)
            self.assertEqual(peer.ended, "end")

    def test_what_is_idle_for_long_stays(self):
        with self.caller(*allow("web.test", "web.test:7000")) as caller:
            tunnel, socks, direct, held = caller.connect(), caller.connect(), caller.connect(fronts.lookup(caller, b"web.test"), 7000), caller.connect()
            tunnel.send(b"CONNECT web.test:7000 HTTP/1.1\r\nHost: web.test:7000\r\n\r\n")
            socks.send(b"\x05\x01\0")
            socks.receive(size=2)
            socks.send(b"\x05\x01\0\x03\x08web.test" + (7000).to_bytes(2, "big"))
            for peer in (tunnel, socks, direct):
                self.assertTrue(peer.receive(until=b"ready\n").endswith(b"ready\n"))
            held.send(b"GET http://web.test/held/idle HTTP/1.1\r\nHost: web.test\r\n\r\n")
            self.assertTrue(held.receive(until=b"\r\n\r\n1").endswith(b"1"))
            self.assertEqual((held.receive(seconds=IDLE_SECONDS), held.ended), (b"", "time"))  # nothing came, and nothing ended
            for peer in (tunnel, socks, direct):
                peer.send(b"still there")
                self.assertEqual(peer.receive(size=11), b"still there")
            with caller.connect() as other:
                other.send(b"GET http://web.test/go/idle HTTP/1.1\r\nHost: web.test\r\n\r\n")
                other.receive()
            self.assertEqual((held.receive(), held.ended), (b"2", "end"))

    def test_http_2_passes_with_many_requests_on_one_connection(self):
        urls = " ".join(f"https://h2.test/{at}" for at in range(3))
        fetch = f"curl -sS --http2 --cacert $CA -w '%{{http_version}} %{{num_connects}}\\n' {urls}"
        said = self.said(f"{fetch}; {BARE} {fetch}", *allow("h2.test"))
        wanted = []
        for at in range(3):
            wanted += [f"stream {2 * at + 1} of h2.test/{at}", f"2 {1 if at == 0 else 0}"]
        self.assertEqual(said.splitlines(), wanted * 2)
        self.assertEqual(self.look().connections(), [(HTTP2, 443)] * 2)

    def test_two_hundred_at_once_are_served(self):
        with self.caller(*allow("web.test:7000")) as caller:
            peers = [caller.connect() for _ in range(200)]
            for peer in peers:
                peer.send(b"CONNECT web.test:7000 HTTP/1.1\r\nHost: web.test:7000\r\n\r\n")
            for at, peer in enumerate(peers):
                self.assertTrue(peer.receive(until=b"ready\n").endswith(b"ready\n"), at)
                peer.send(b"%d\n" % at)
            for at, peer in enumerate(peers):
                self.assertEqual(peer.receive(until=b"\n"), b"%d\n" % at)
            self.assertEqual(self.look().connections(), [(INTERNET, 7000)] * 200)

    def test_what_has_ended_in_any_way_is_forgotten(self):
        with self.caller(*allow("web.test", "web.test:7000")) as caller:
            door = door_process.find(caller.status())
            fronts.connect(caller, b"web.test")
            fronts.by_name(caller, b"web.test")
            before = len(door_process.descriptors(door))
            for at in range(60):
                with caller.connect() as peer:
                    if at % 3 == 0:
                        peer.send(b"GET http://web.test/bytes/50000000 HTTP/1.1\r\nHost: web.test\r\n\r\n")
                        peer.receive(size=1000)
                    elif at % 3 == 1:
                        peer.send(b"CONNECT web.test:7000 HTTP/1.1\r\nHost: web.test:7000\r\n\r\n")
                        peer.receive(until=b"ready\n")
                        peer.finish()
                    else:
                        peer.send(b"CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n")
                        peer.receive()
            eventually(lambda: len(door_process.descriptors(door)) <= before + 2, what="descriptors given back")

    def test_the_door_sleeps_while_nothing_comes(self):
        with self.caller(*allow("web.test", "web.test:7000")) as caller:
            door = door_process.find(caller.status())
            with caller.connect() as peer:
                peer.send(b"CONNECT web.test:7000 HTTP/1.1\r\nHost: web.test:7000\r\n\r\n")
                peer.receive(until=b"ready\n")
                before, began = door_process.processes.wakeups(door), time.monotonic()
                self.assertEqual((peer.receive(seconds=2), peer.ended), (b"", "time"))
                self.assertLess(door_process.processes.wakeups(door) - before, 10 * (time.monotonic() - began))


if __name__ == "__main__":
    unittest.main()
