# SPDX-License-Identifier: Apache-2.0
"""--net allowlist on a machine that reaches the internet by a company's proxy alone: the door asks it for what the rules allow, and
for nothing else; its login stays outside."""
import unittest

import fronts
from door_case import DoorCase, allow, deny
from net_lab import ROUTER
from net_lab_names import INTERNET

PORT = 3129
LOGIN = "company:company%20word"
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


class Upstream(DoorCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = cls.lab.tell("upstream_proxy.py", ROUTER, PORT, "company:company word")

    def use(self, url, **more):
        """What agentctl finds in its environment."""
        for name, value in {**dict.fromkeys(NAMES, url), **more}.items():
            self.machine.environment[name] = value
            self.addCleanup(self.machine.environment.pop, name, None)

    def setUp(self):
        super().setUp()
        self.proxy.take()
        self.use(f"http://{LOGIN}@{ROUTER}:{PORT}")

    def asked(self):
        return [(line["method"], line["target"], line["is_known"]) for line in self.proxy.take()]

    def test_an_allowed_host_is_reached_by_the_proxy_and_by_name(self):
        with self.caller(*allow("web.test")) as caller:
            for front in (fronts.connect, fronts.socks, fronts.by_name):
                self.assertTrue(front(caller, b"web.test").reached)
                self.assertEqual(self.asked(), [("CONNECT", "web.test:443", True)], front)
            self.assertTrue(fronts.absolute(caller, b"web.test").reached)
            self.assertIn(self.asked(), ([("GET", "http://web.test/", True)], [("CONNECT", "web.test:80", True)]))
        self.assert_reached((ROUTER, PORT), names=[])

    def test_a_denied_host_is_not_asked_for(self):
        with self.caller(*allow("web.test"), *deny("api.example.com")) as caller:
            for host in (b"other.test", b"api.example.com", b"10.9.0.1", b"localhost"):
                for front in (fronts.connect, fronts.absolute, fronts.socks, fronts.by_name):
                    self.assertFalse(front(caller, host).reached)
            self.assertFalse(fronts.by_server_name(caller, b"other.test", b"web.test").reached)
            self.assertFalse(fronts.by_host_field(caller, b"other.test", b"web.test").reached)
        self.assert_untouched()
        self.assertEqual(self.asked(), [])

    def test_real_programs_reach_an_allowed_host(self):
        fetch = "curl -sS --max-time 20 --cacert $CA https://web.test/ http://web.test/"
        said = self.said(f'{fetch}; env -i PATH="$PATH" {fetch}', *allow("web.test"))
        self.assertEqual(said.splitlines(), ["hello from web.test by https", "hello from web.test by http"] * 2)

    def test_the_login_stays_outside(self):
        with self.machine.session("env > environment; cat /proc/[0-9]*/environ > environments", "--net", "allowlist", *allow("web.test")) as session:
            seen = (self.project / "environment").read_text() + (self.project / "environments").read_bytes().decode(errors="replace")
            self.assertNotIn("company", seen)
            self.assertNotIn(ROUTER, seen)
            done = self.machine.run("exec", "s", "--", "env")
            self.assertNotIn(ROUTER, done.stdout)
            self.assertNotIn("company", str(session.status()) + self.do("logs", "s", "--net").stdout)

    def test_the_session_cannot_choose_another_login_or_skip_the_proxy(self):
        with self.caller(*allow("web.test")) as caller, caller.connect() as peer:
            peer.send(b"GET http://web.test/head HTTP/1.1\r\nHost: web.test\r\nProxy-Authorization: Basic bm9ib2R5\r\n\r\n")
            self.assertNotIn(b"bm9ib2R5", peer.receive())
            self.assertEqual({line["is_known"] for line in self.proxy.take()}, {True})
        self.assert_reached((ROUTER, PORT), names=[])

    def test_a_login_that_the_proxy_does_not_take_is_told_as_a_failure(self):
        self.use(f"http://company:wrong@{ROUTER}:{PORT}")
        with self.caller(*allow("web.test")) as caller:
            outcome = fronts.absolute(caller, b"web.test")
            self.assertIn(outcome.code, (407, 502), outcome)
            self.assertNotIn("wrong", outcome.text)
            self.assertFalse(fronts.connect(caller, b"web.test").reached)
            self.assertNotIn("wrong", str(caller.log()))

    def test_what_is_to_be_reached_without_it_is(self):
        self.use(f"http://{LOGIN}@{ROUTER}:{PORT}", NO_PROXY="other.test", no_proxy="other.test")
        with self.caller(*allow("web.test", "other.test")) as caller:
            self.assertTrue(fronts.connect(caller, b"other.test").reached)
            self.assertEqual(self.asked(), [])
            self.assert_reached((INTERNET, 443), names=["other.test"])
            self.assertTrue(fronts.connect(caller, b"web.test").reached)
            self.assertEqual(len(self.asked()), 1)

    def test_a_proxy_on_this_machine_s_loopback_is_used(self):
        self.lab.tell("upstream_proxy.py", "127.0.0.1", PORT, "company:company word", place=self.lab.machine)
        self.use(f"http://{LOGIN}@127.0.0.1:{PORT}")
        with self.caller(*allow("web.test")) as caller:
            self.assertTrue(fronts.connect(caller, b"web.test").reached)
            self.assertEqual(fronts.connect(caller, b"127.0.0.1", PORT).code, 403)

    def test_a_proxy_that_is_not_there_is_told_as_a_failure(self):
        self.use(f"http://{ROUTER}:9")
        with self.caller(*allow("web.test")) as caller:
            self.assertIn(fronts.absolute(caller, b"web.test").code, (502, 504))
            self.assertFalse(fronts.connect(caller, b"web.test").reached)
        self.assert_reached((ROUTER, 9), names=[])


if __name__ == "__main__":
    unittest.main()
