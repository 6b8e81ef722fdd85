# SPDX-License-Identifier: Apache-2.0
"""The rules of a running session: changed from outside alone, in force at once, and what came of them is told."""
import contextlib
import json
import unittest

import fronts
import tls_hello
from caller import Refused
from door_case import DoorCase, allow, deny, eventually
from net_lab_names import INTERNET
from processes import wait_for_all_to_end


class Live(DoorCase):
    def test_a_host_is_allowed_and_denied_again_while_the_session_runs(self):
        with self.caller(*allow("web.test")) as caller:
            ways = (fronts.connect, fronts.absolute, fronts.socks, fronts.by_name)
            for _ in range(2):
                for way in ways:
                    self.assertFalse(way(caller, b"other.test").reached)
                self.assert_untouched()
                self.do("allow", "s", "other.test")
                for way in ways:
                    self.assertTrue(way(caller, b"other.test").reached)
                self.assert_reached((INTERNET, 443), (INTERNET, 80))
                self.do("deny", "s", "other.test")
            self.assertFalse(fronts.connect(caller, b"other.test").reached)

    def test_a_port_is_allowed_while_the_session_runs_and_taken_without_a_proxy_too(self):
        with self.caller(*allow("web.test")) as caller:
            address = fronts.lookup(caller, b"web.test")
            with self.assertRaises(Refused):
                caller.connect(address, 7000)
            self.do("allow", "s", "web.test:7000")
            with caller.connect(address, 7000) as peer:
                self.assertEqual(peer.receive(until=b"ready\n"), b"ready\n")
            self.assertEqual(fronts.connect(caller, b"web.test", 7001).code, 403)

    def test_what_has_not_gone_out_yet_when_its_host_is_denied_never_does(self):
        with self.caller(*allow("web.test", "other.test")) as caller, contextlib.ExitStack() as stack:
            address = fronts.lookup(caller, b"other.test")
            by_connect, by_socks, by_tls, by_http = (stack.enter_context(caller.connect(*to)) for to in ((), (), (address, 443), (address, 80)))
            by_connect.send(b"CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n")
            self.assertTrue(by_connect.receive(until=b"\r\n\r\n").startswith(b"HTTP/1.1 200"))
            by_socks.send(b"\x05\x01\0")
            by_socks.receive(size=2)
            by_socks.send(b"\x05\x01\0\x03\x0aother.test\x01\xbb")
            self.assertEqual(by_socks.receive(size=10)[:2], b"\x05\0")
            self.do("deny", "s", "other.test")
            for peer in (by_connect, by_socks, by_tls):
                peer.send(tls_hello.client_hello(b"other.test"))
                self.assertTrue(tls_hello.is_alert(peer.receive()))
            by_http.send(b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n")
            self.assertTrue(by_http.receive().startswith(b"HTTP/1.1 403"))
            self.assertEqual(self.look().connections(), [])

    def test_what_the_start_allowed_is_denied_and_allowed_again(self):
        with self.caller(*allow("**.example.com")) as caller:
            self.do("deny", "s", "api.example.com")
            self.assertEqual(fronts.connect(caller, b"api.example.com").code, 403)
            self.assertIsNone(fronts.lookup(caller, b"api.example.com"))
            self.assertTrue(fronts.connect(caller, b"example.com").reached)
            self.do("allow", "s", "api.example.com")
            self.assertTrue(fronts.connect(caller, b"api.example.com").reached)

    def test_what_the_policy_denies_stays_denied(self):
        with self.caller(*allow("web.test"), *deny("other.test")) as caller:
            self.machine.run("allow", "s", "other.test")
            self.assertFalse(fronts.connect(caller, b"other.test").reached)
        self.assert_untouched()

    def test_a_rule_with_a_port_is_added_for_that_port_alone(self):
        with self.caller(*allow("web.test")) as caller:
            self.do("deny", "s", "web.test:80")
            self.assertFalse(fronts.absolute(caller, b"web.test").reached)
            self.assertTrue(fronts.connect(caller, b"web.test").reached)

    def test_what_another_session_is_allowed_this_one_is_not(self):
        with self.caller(*allow("web.test")) as caller, self.machine.session(":", "--net", "allowlist", name="other"):
            self.do("allow", "other", "other.test")
            self.assertFalse(fronts.connect(caller, b"other.test").reached)

    def test_exec_goes_by_the_same_rules(self):
        with self.machine.session(":", "--net", "allowlist", *allow("web.test")):
            fetch = "curl -sS -o /dev/null -w '%{http_code} ' --cacert authority.crt"
            done = self.machine.run("exec", "s", "--", "sh", "-c", f"{fetch} https://web.test/; {fetch} http://other.test/")
            self.assertEqual(done.stdout, "200 403 ", done.stderr)


class LiveRefused(DoorCase):
    def test_the_session_cannot_allow_itself_anything(self):
        with self.caller(*allow("web.test")) as caller:
            for verb in ("allow", "deny"):
                done = self.machine.run("exec", "s", "--", self.machine.agentctl, verb, "s", "other.test")
                self.assertNotEqual(done.returncode, 0)
            self.assertFalse(fronts.connect(caller, b"other.test").reached)
            self.assertTrue(fronts.connect(caller, b"web.test").reached)

    def test_what_is_no_rule(self):
        with self.caller(*allow("web.test")) as caller:
            for verb in ("allow", "deny"):
                for rule in ("", "*", "http://other.test/", "other.test/x", "other.test:0", "other.test:99999", "o*.test", "user@other.test", "127.1",
                             "other.test..", "other .test"):
                    with self.subTest(verb=verb, rule=rule):
                        done = self.machine.run(verb, "s", rule)
                        self.assertIn(done.returncode, (2, 3), done.stderr)
            for rule in ("localhost", "127.0.0.1", "*.com", "0.0.0.0/0", "[::]/0"):
                with self.subTest(rule=rule):
                    self.assertIn(self.machine.run("allow", "s", rule).returncode, (2, 3))
            self.assertTrue(fronts.connect(caller, b"web.test").reached)

    def test_a_start_with_what_is_no_rule(self):
        for words in (allow("*"), allow("*.com"), allow("https://web.test/"), allow("localhost"), deny("*"), allow("web.test", "")):
            with self.subTest(words=words):
                done = self.run_inside("touch ran", *words)
                self.assertIn(done.returncode, (2, 3, 125), done.stderr)
                self.assertFalse((self.project / "ran").exists())


class Told(DoorCase):
    def test_the_log_says_of_each_connection_what_came_of_it(self):
        with self.caller(*allow("web.test")) as caller:
            fronts.connect(caller, b"other.test")
            fronts.absolute(caller, b"other.test")
            fronts.socks(caller, b"other.test")
            fronts.lookup(caller, b"other.test")
            with caller.connect() as peer:
                peer.send(b"GET http://web.test/bytes/12345 HTTP/1.1\r\nHost: web.test\r\n\r\n")
                peer.receive()
            fronts.connect(caller, b"web.test", 22)

            def lines():
                found = caller.log()
                return found if any(line["verdict"] == "allowed" for line in found) else None
            log = eventually(lines, what="the line of what was allowed")
            denied = {(line["protocol"], line["host"], line["port"]): line for line in log if line["verdict"] == "denied"}
            self.assertLessEqual({("connect", "other.test", 443), ("http", "other.test", 80), ("socks5", "other.test", 443),
                                  ("connect", "web.test", 22)}, set(denied))
            self.assertIn("other.test", {line["host"] for line in log if line["protocol"] == "dns"})
            one = denied["connect", "other.test", 443]
            self.assertEqual((one["reason"], one["allow"], one["address"]), ("no-rule", "other.test", None))
            self.assertEqual(denied["connect", "web.test", 22]["reason"], "other-port")
            [allowed] = [line for line in log if line["verdict"] == "allowed"]
            self.assertEqual((allowed["protocol"], allowed["host"], allowed["port"], allowed["address"]), ("http", "web.test", 80, INTERNET))
            self.assertGreaterEqual(allowed["bytes_down"], 12345)
            self.assertGreater(allowed["bytes_up"], 0)
            self.assertIn("web.test", allowed["rule"])

    def test_the_log_holds_no_path_no_field_and_no_body(self):
        with self.caller(*allow("web.test")) as caller:
            request = (b"POST http://web.test/upload/MARKED?MARKED=1 HTTP/1.1\r\nHost: web.test\r\nAuthorization: MARKED\r\nCookie: MARKED\r\n"
                       b"Proxy-Authorization: MARKED\r\nContent-Length: 6\r\n\r\nMARKED")
            with caller.connect() as peer:
                peer.send(request)
                self.assertIn(b"200", peer.receive())
            with caller.connect() as peer:
                peer.send(request.replace(b"web.test", b"other.test"))
                self.assertIn(b"403", peer.receive())
            eventually(lambda: len(caller.log()) >= 2, what="both lines")
            self.assertNotIn("MARKED", json.dumps(caller.log()))

    def test_the_log_of_what_was_denied_at_names_that_are_no_text_is_plain(self):
        with self.caller(*allow("web.test")) as caller:
            for host in (b"\x1b]0;x\x07.test", b"\x9b2J.test", "\u202e.test".encode(), b"a\rb.test", b"a\0b.test"):
                for front in (fronts.connect, fronts.absolute, fronts.socks, fronts.by_name, fronts.by_server_name, fronts.by_host_field):
                    kwargs = {"allowed": b"web.test"} if front in (fronts.by_server_name, fronts.by_host_field) else {}
                    front(caller, host, **kwargs)
            for words in (("logs", "s", "--net"), ("status", "s"), ("status", "--json", "s")):
                text = self.do(*words).stdout
                self.assertEqual([char for char in text if (ord(char) < 0x20 and char != "\n") or 0x7F <= ord(char) <= 0x9F or char == "\u202e"], [])

    def test_the_log_can_be_read_after_the_end(self):
        self.run_inside("curl -sS http://other.test/", *allow("web.test"), "--name", "ended")
        lines = [json.loads(line) for line in self.do("logs", "ended", "--net").stdout.splitlines()]
        self.assertIn(("denied", "other.test"), {(line["verdict"], line["host"]) for line in lines})

    def test_many_denials_of_one_host_are_counted_and_not_listed(self):
        with self.caller(*allow("web.test")) as caller:
            for _ in range(300):
                fronts.connect(caller, b"other.test")

            def is_whole():
                log = [line for line in caller.log() if line["host"] == "other.test"]
                return log if sum(line["count"] for line in log) >= 290 else None
            log = eventually(is_whole, seconds=90, what="the count of all denials")
            self.assertLess(len(log), 50)

    def test_the_agent_is_told_how_it_reaches_the_network(self):
        said = self.said("cat /run/agentctl/README", *allow("web.test"))
        self.assertIn("agentctl allow", said)

    def test_nothing_of_it_outlives_the_session(self):
        with self.caller(*allow("web.test")) as caller:
            fronts.connect(caller, b"web.test")
            supervisor = caller.status()["pids"]["supervisor"]
        wait_for_all_to_end(lambda: [pid for pid in self.machine.processes() if pid != supervisor], 10)


if __name__ == "__main__":
    unittest.main()
