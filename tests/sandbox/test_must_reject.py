# SPDX-License-Identifier: Apache-2.0
"""--net allowlist: no spelling of a host gets past the rules, whichever way it is asked for: nobody outside is connected to, and
nobody is asked for its name."""
import struct
import unittest

import fronts
import tls_hello
from door_case import DoorCase, allow
from must_reject import ACCEPTED, AUTHORITIES, ENTRIES, MALFORMED, NO_RULE, TARGETS
from net_lab_names import INTERNET, REBOUND

RULES = allow("example.com", "*.example.com")
STATUS = {NO_RULE: 403, MALFORMED: 400}
NOT_ALLOWED, NO_SUCH_NAME, QUICK_SECONDS = 2, 3, 2.0


class MustReject(DoorCase):
    def check(self, front, entry, outcome):
        self.assertFalse(outcome.reached, outcome)
        if front in ("CONNECT", "absolute form", "HTTP behind another host"):
            self.assertEqual(outcome.code, STATUS[entry.kind], outcome)
            self.assertIn("\r\nX-Agentctl-Reason: ", outcome.text)
        elif front.startswith("SOCKS5"):
            is_written_out = front == "SOCKS5 by name" and entry.host.startswith(b"[")
            self.assertNotIn(outcome.code, (0, None), outcome)
            if entry.kind == NO_RULE and not is_written_out:
                self.assertEqual(outcome.code, NOT_ALLOWED, outcome)
        elif front == "TLS behind another host":
            self.assertIn(outcome.code, (tls_hello.ACCESS_DENIED,) if entry.kind == NO_RULE and not entry.host.startswith(b"[") else
                          (tls_hello.ACCESS_DENIED, None), outcome)
        elif outcome.text:
            self.assertIn(b"localhost", entry.host.lower(), outcome)  # which is the session's own loopback
            self.assertEqual(outcome.text, "127.0.0.1")
        else:
            self.assertNotIn(outcome.code, (0, None), outcome)
            self.assertLess(outcome.took, QUICK_SECONDS)

    def refuse_all(self, front):
        with self.caller(*RULES) as caller:
            tried = 0
            for entry in ENTRIES:
                if front in entry.without or not fronts.takes(front, entry.host):
                    continue
                with self.subTest(front=front, host=entry.host):
                    tried += 1
                    self.check(front, entry, fronts.FRONTS[front](caller, entry.host))
                    self.assert_untouched()
            self.assertGreater(tried, 100)
            # It is no door that is shut: the very same way leads to what is allowed.
            self.assertTrue(fronts.FRONTS[front](caller, b"example.com").reached)
            self.assertIn(INTERNET, {address for address, _ in self.look().connections()})
        self.assert_untouched()  # nothing came late

    def test_not_by_connect(self):
        self.refuse_all("CONNECT")

    def test_not_by_the_absolute_form(self):
        self.refuse_all("absolute form")

    def test_not_by_socks(self):
        self.refuse_all("SOCKS5")

    def test_not_by_socks_in_a_name_s_place(self):
        self.refuse_all("SOCKS5 by name")

    def test_not_by_the_name_alone(self):
        self.refuse_all("a name without a proxy")

    def test_not_by_tls_behind_a_host_that_is_allowed(self):
        self.refuse_all("TLS behind another host")

    def test_not_by_http_behind_a_host_that_is_allowed(self):
        self.refuse_all("HTTP behind another host")

    def test_another_spelling_of_an_allowed_host_is_that_host(self):
        with self.caller(*RULES) as caller:
            for front in ("CONNECT", "absolute form", "SOCKS5", "a name without a proxy"):
                for host in ACCEPTED:
                    with self.subTest(front=front, host=host):
                        self.assertTrue(fronts.FRONTS[front](caller, host).reached)
                        seen = self.look()
                        self.assertEqual({address for address, _ in seen.connections()}, {INTERNET})
                        self.assertLessEqual({name.lower() for name in seen.names()}, {host.lower().rstrip(b".").decode()})

    def test_connect_takes_one_host_and_one_port_and_nothing_else(self):
        with self.caller(*RULES) as caller:
            for kind, authorities in AUTHORITIES.items():
                for authority in authorities:
                    with self.subTest(authority=authority), caller.connect() as peer:
                        peer.send(b"CONNECT " + authority + b" HTTP/1.1\r\nHost: " + authority + b"\r\n\r\n")
                        outcome = fronts.http_outcome(peer.receive())
                        self.assertEqual((outcome.reached, outcome.code), (False, STATUS[kind]), outcome)
                        self.assert_untouched()

    def test_a_proxy_fetches_from_the_web_alone(self):
        with self.caller(*RULES) as caller:
            for target in TARGETS:
                for host in (b"example.com", target.partition(b"//")[2].partition(b"/")[0] or b"example.com"):
                    with self.subTest(target=target, host=host), caller.connect() as peer:
                        peer.send(b"GET " + target + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
                        outcome = fronts.http_outcome(peer.receive())
                        self.assertFalse(outcome.reached)
                        self.assertIn(outcome.code, (400, 403, 501), outcome)
                        self.assert_untouched()


class Rebinding(DoorCase):
    """Names that a rule allows, and that lead to where no name may lead."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.lab.do(cls.lab.machine, "ip", "address", "add", "93.184.216.99/32", "dev", "lo")
        cls.lab.do(cls.lab.machine, "ip", "address", "add", "5.5.5.5/24", "dev", "eth0")

    def test_a_name_that_leads_to_no_public_address_is_looked_up_and_not_connected_to(self):
        names = [f"{label}.rebind.test" for label in [*REBOUND, "alias"]] + ["127.0.0.1.nip.io"]
        with self.caller(*allow("*.rebind.test", "127.0.0.1.nip.io")) as caller:
            for name in names:
                for front in ("CONNECT", "absolute form", "SOCKS5", "a name without a proxy"):
                    with self.subTest(name=name, front=front):
                        outcome = fronts.FRONTS[front](caller, name.encode())
                        self.assertFalse(outcome.reached, outcome)
                        self.assertIn(outcome.code, {"SOCKS5": (2, 49), "a name without a proxy": (49,)}.get(front, (403, 49)), outcome)
                        seen = self.look()
                        # What was found out a moment ago is not asked for again.
                        self.assertIn(seen.names(), ([name],) if front == "CONNECT" else ([name], []))
                        self.assertEqual((seen.connections(), seen.others()), ([], []))
            log = [line for line in caller.log() if line["protocol"] != "dns"]
            self.assertEqual({(line["verdict"], line["reason"]) for line in log}, {("denied", "private-address")})

    def test_of_mixed_addresses_the_public_one_alone_is_connected_to(self):
        with self.caller(*allow("mixed.test")) as caller:
            for front in ("CONNECT", "absolute form", "SOCKS5", "a name without a proxy"):
                with self.subTest(front=front):
                    self.assertTrue(fronts.FRONTS[front](caller, b"mixed.test").reached)
                    self.assertEqual({address for address, _ in self.look().connections()}, {INTERNET})

    def test_a_name_that_changes_between_the_look_and_the_connection_gains_nothing(self):
        with self.caller(*allow("flip.test")) as caller:
            self.assertTrue(fronts.connect(caller, b"flip.test").reached)
            self.assertEqual(self.look().connections(), [(INTERNET, 443)])  # looked up once, and connected to as it was
        with self.caller(*allow("flip.test")) as caller:
            self.assertFalse(fronts.connect(caller, b"flip.test").reached)
            seen = self.look()
            self.assertEqual((seen.connections(), seen.names()), ([], ["flip.test"]))

    def test_an_address_that_is_named_by_a_rule_is_let_through_by_that_rule(self):
        with self.caller(*allow("lan.rebind.test:8080", "10.9.0.0/24:8080", "own.rebind.test:8080")) as caller:
            with caller.connect() as peer:
                peer.send(b"CONNECT lan.rebind.test:8080 HTTP/1.1\r\nHost: lan.rebind.test:8080\r\n\r\n")
                self.assertTrue(peer.receive(until=b"\r\n\r\n").startswith(b"HTTP/1.1 200"))
            self.assertEqual(self.look().connections(), [("10.9.0.1", 8080)])
            self.assertFalse(fronts.connect(caller, b"own.rebind.test", 8080).reached)  # this machine's own takes a rule for it alone
            self.assertEqual(self.look().connections(), [])

    def test_a_name_that_is_never_answered_holds_nobody_up(self):
        with self.caller(*allow("silent.test", "example.com")) as caller, caller.connect() as waiting:
            waiting.send(b"CONNECT silent.test:443 HTTP/1.1\r\nHost: silent.test:443\r\n\r\n")
            self.lab.canary.told.wait_for(lambda line: line.get("name") == "silent.test", what="the question")
            for front in ("CONNECT", "absolute form", "SOCKS5", "a name without a proxy"):
                self.assertTrue(fronts.FRONTS[front](caller, b"example.com").reached, front)
            outcome = fronts.http_outcome(waiting.receive(seconds=60))
            self.assertIn(outcome.code, (502, 504), outcome)


class Questions(DoorCase):
    """The stub for names tells what it knows, and asks nobody."""

    def test_names_lead_nowhere_outside_even_those_that_are_allowed(self):
        with self.caller(*RULES) as caller:
            for name in (b"example.com", b"secret-of-yours.example.com", b"secret-of-yours.evil.net", b"34.216.184.93.in-addr.arpa"):
                for kind in (fronts.A, fronts.AAAA, fronts.TXT, 2, 5, 6, 12, 15, 33, 64, 65, 255, 252, 48):
                    for by_tcp in (False, True):
                        with self.subTest(name=name, kind=kind, by_tcp=by_tcp):
                            answer, took = fronts.ask(caller, fronts.question(name, kind), by_tcp)
                            is_allowed = name.endswith(b"example.com")
                            has_address = struct.unpack("!H", answer[6:8])[0] > 0
                            self.assertEqual(has_address, is_allowed and kind == fronts.A)
                            if not is_allowed:
                                self.assertNotEqual(answer[3] & 15, 0)
                            self.assertLess(took, QUICK_SECONDS)
        self.assert_untouched()

    def test_what_is_no_question_gets_no_address_and_the_next_question_does(self):
        good, next_one = fronts.question(b"example.com"), fronts.question(b"example.com", number=0x7777)
        broken = [b"\0", good[:11], good[:-1], good[:2] + b"\x81\x80" + good[4:], good[:4] + b"\0\2" + good[6:],
                  good[:12] + b"\xc0\x0c\0\1\0\1", good[:12] + b"\x40" + b"a" * 64 + b"\0\0\1\0\1", good + b"\0" * 400,
                  good[:2] + b"\x28\0" + good[4:], b"\xff" * 512, good[:12] + b"\x3f" * 500]
        with self.caller(*RULES) as caller:
            for query in broken:
                with self.subTest(query=query), caller.connect(*fronts.NAMES, kind="datagram") as peer:
                    peer.send(query)
                    peer.send(next_one)
                    first, second = peer.receive(size=65536, until=b"\x77\x77").split(b"\x77\x77", 1)
                    self.assertIsNone(fronts.address_in(first))
                    self.assertIsNotNone(fronts.address_in(b"\x77\x77" + second))
        self.assert_untouched()

    def test_a_name_that_nobody_allows_is_not_found_at_once_by_the_usual_programs(self):
        script = "for name in nonce-1.evil.net nonce-2.example.org localhost.evil.net; do getent hosts $name && exit 1; done; getent hosts example.com"
        said = self.said(script, *RULES)
        self.assertRegex(said, r"^198\.1[89]\.\d+\.\d+ +example\.com")
        self.assert_untouched()


if __name__ == "__main__":
    unittest.main()
