# SPDX-License-Identifier: Apache-2.0
"""--net allowlist: the hosts that rules name are reached, by programs that know of proxies and by those that do not; nothing else is,
whatever is tried."""
import socket
import subprocess
import unittest

import fronts
from caller import Refused
from door_case import DoorCase, allow, deny
from net_lab import MACHINE, MACHINE6, PORT, ROUTER, ROUTER6, LabUser, inside
from net_lab_names import INTERNET, INTERNET6

BARE = 'env -i PATH="$PATH" HOME="$HOME"'
PYTHON = """
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1])
for url in sys.argv[2:]:
    opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))
    print(opener.open(url, timeout=20).read().decode().strip())
"""
PROXY = "http://127.0.0.1:3128"
QUICK_SECONDS = 2.0
CLOSED = [INTERNET, ROUTER, MACHINE, "8.8.8.8", "169.254.169.254", "192.168.1.1", INTERNET6, ROUTER6, MACHINE6, "fd00:ec2::254"]


class Reached(DoorCase):
    def test_curl_reaches_an_allowed_host_with_proxy_variables_and_without(self):
        fetch = "curl -sS --max-time 20 --cacert $CA https://web.test/ http://web.test/"
        said = self.said(f'{fetch}; {BARE} {fetch}', *allow("web.test"))
        self.assertEqual(said.splitlines(), ["hello from web.test by https", "hello from web.test by http"] * 2)
        self.assert_reached((INTERNET, 443), (INTERNET, 80), names=["web.test"])

    def test_python_reaches_an_allowed_host_with_proxy_variables_and_without(self):
        (self.project / "fetch.py").write_text(PYTHON)
        fetch = "python3 fetch.py $CA https://web.test/ http://web.test/"
        said = self.said(f"{fetch}; {BARE} {fetch}", *allow("web.test"))
        self.assertEqual(said.splitlines(), ["hello from web.test by https", "hello from web.test by http"] * 2)

    def test_a_program_that_speaks_socks_reaches_an_allowed_host_and_has_its_name_looked_up_outside(self):
        said = self.said("curl -sS --max-time 20 --cacert $CA --proxy socks5h://127.0.0.1:3128 https://web.test/", *allow("web.test"))
        self.assertEqual(said, "hello from web.test by https\n")
        self.assert_web_reached(443, "web.test")

    def test_a_host_with_ipv6_alone_is_reached_by_a_program_that_knows_only_ipv4(self):
        said = self.said(f"curl -sS -4 --cacert $CA https://six.test/; {BARE} curl -sS -4 --cacert $CA https://six.test/", *allow("six.test"))
        self.assertEqual(said, "hello from six.test by https\n" * 2)
        self.assert_reached((INTERNET6, 443), names=["six.test"])

    def test_an_address_is_reached_where_a_rule_names_it(self):
        addresses = [INTERNET, f"[{INTERNET6}]"]
        said = self.said("; ".join(f"curl -sS -g --max-time 20 --cacert $CA https://{address}/" for address in addresses), *allow(*addresses))
        self.assertEqual(said, "".join(f"hello from {address} by https\n" for address in addresses))
        self.assert_reached((INTERNET, 443), (INTERNET6, 443), names=[])

    def test_everything_below_a_name_is_reached_and_not_the_name_itself(self):
        with self.caller(*allow("*.example.com")) as caller:
            self.assertTrue(fronts.connect(caller, b"api.example.com").reached)
            self.assertEqual(fronts.connect(caller, b"example.com").code, 403)

    def test_the_variables_that_programs_ask_for_are_there_in_both_cases(self):
        said = self.said("env", *allow("web.test"))
        variables = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            self.assertEqual(variables.get(name, "").rstrip("/"), PROXY, name)
        for name in ("NO_PROXY", "no_proxy"):
            self.assertEqual(set(variables[name].split(",")), {"localhost", "127.0.0.1", "::1"})
        self.assertEqual(variables["NODE_USE_ENV_PROXY"], "1")

    def test_what_a_session_serves_on_its_own_loopback_is_its_own(self):
        script = ("python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & until curl -sS -o /dev/null http://127.0.0.1:8123/ 2>/dev/null; do :; done; "
                  "curl -sS -o /dev/null -w '%{http_code} ' http://localhost:8123/; kill $!")
        self.assertEqual(self.said(script, *allow("web.test")), "200 ")
        self.assert_untouched()


class ReachedByUser(Reached):
    """The same of a user without any privilege."""
    user = LabUser


class HostsFile(DoorCase):
    def test_a_name_of_this_machine_s_hosts_file_is_reached(self):
        self.lab.hide("/etc/hosts", f"127.0.0.1 localhost\n{INTERNET} hosts-only.test\n{ROUTER} private.test\n")
        fetch = "curl -sS --max-time 20 --cacert $CA https://hosts-only.test/"
        self.assertEqual(self.said(f"{fetch}; {BARE} {fetch}", *allow("hosts-only.test")), "hello from hosts-only.test by https\n" * 2)
        self.assert_reached((INTERNET, 443), names=[])
        with self.caller(*allow("private.test")) as caller:
            self.assertEqual(fronts.absolute(caller, b"private.test").code, 403)
        self.assert_untouched()


class SearchList(DoorCase):
    def test_a_name_is_asked_for_as_it_is_whatever_this_machine_puts_behind_names(self):
        resolver = self.lab.directory / "resolv.conf"
        before = resolver.read_text()
        self.addCleanup(resolver.write_text, before)
        for options in ("search evil.net\n", "search evil.net\noptions ndots:5\n"):
            resolver.write_text(before + options)
            with self.subTest(options=options), self.caller(*allow("**.nowhere.example", "web.test", "other.test", "registry.test")) as caller:
                for name in (b"a.nowhere.example", b"b.nowhere.example", b"c.nowhere.example", b"d.nowhere.example"):
                    self.assertFalse(fronts.connect(caller, name).reached)
                for name in (b"web.test", b"other.test", b"registry.test"):
                    self.assertTrue(fronts.connect(caller, name).reached)
                self.assertEqual({name for name in self.look().names() if "evil" in name}, set())


class Denied(DoorCase):
    def test_a_denied_host_is_not_reached_with_proxy_variables_or_without(self):
        script = "for url in https://other.test/ http://other.test/; do curl -sS --fail --cacert $CA $url; echo $?; " \
                 f"{BARE} curl -sS --fail --cacert $CA $url; echo $?; done"
        done = self.run_inside(script, *allow("web.test"))
        self.assertEqual(done.stdout.split(), ["22", "6", "22", "6"], done.stderr)  # 403 of CONNECT, no such host, 403, no such host
        self.assert_untouched()

    def test_a_denial_says_which_host_why_and_what_can_be_typed(self):
        with self.caller(*allow("web.test")) as caller:
            for front, port in ((fronts.connect, 443), (fronts.absolute, 80)):
                outcome = front(caller, b"other.test")
                self.assertEqual(outcome.code, 403)
                self.assertIn("X-Agentctl-Reason: no-rule\r\n", outcome.text)
                self.assertIn(f"'other.test:{port}' is denied: no rule allows it", outcome.text)
                self.assertIn("agentctl allow s other.test\n", outcome.text)
            self.assertIn("agentctl allow s web.test:22\n", fronts.connect(caller, b"web.test", 22).text)
        self.assert_untouched()

    def test_direct_sockets_fail_at_once(self):
        with self.caller(*allow("web.test")) as caller:
            for address in CLOSED:
                for kind, port in (("stream", 443), ("stream", 80), ("stream", PORT), ("stream", 22), ("datagram", 53), ("datagram", 443)):
                    with self.subTest(address=address, kind=kind, port=port), self.assertRaises(Refused) as failed:
                        caller.connect(address, port, kind)
                    self.assertIn(failed.exception.word, ("ENETUNREACH", "EHOSTUNREACH", "ECONNREFUSED", "EADDRNOTAVAIL"))
                    self.assertLess(failed.exception.took, QUICK_SECONDS)
        self.assert_untouched()

    def test_no_echo_request_leaves(self):
        with self.caller(*allow("web.test")) as caller:
            for address, protocol in (("8.8.8.8", socket.IPPROTO_ICMP), (INTERNET, socket.IPPROTO_ICMP), (INTERNET6, socket.IPPROTO_ICMPV6)):
                with self.assertRaises(Refused):
                    caller.send_raw(address, protocol)
        self.assert_untouched()

    def test_the_loopback_of_this_machine_is_not_the_session_s(self):
        with self.caller(*allow("web.test")) as caller:
            for address in ("127.0.0.1", "::1", "127.0.0.2"):
                with self.assertRaises(Refused):
                    caller.connect(address, PORT)
        self.assert_untouched()

    def test_addresses_of_the_pool_that_stand_for_nothing_lead_nowhere(self):
        with self.caller(*allow("web.test")) as caller:
            with caller.connect("198.18.77.77", 443) as peer:
                self.assertFalse(fronts.tls_outcome(peer, b"web.test").reached)
            for port in (22, 25, 3128, 8080, 65535):
                with self.subTest(port=port), self.assertRaises(Refused) as failed:
                    caller.connect("198.18.77.77", port)
                self.assertEqual(failed.exception.word, "ECONNREFUSED")
        self.assert_untouched()

    def test_without_a_rule_everything_is_denied(self):
        with self.caller() as caller:
            for name, front in fronts.FRONTS.items():
                if "behind another host" not in name:
                    self.assertFalse(front(caller, b"web.test").reached, name)
            self.assertIsNone(fronts.lookup(caller, b"web.test"))
        self.assert_untouched()

    def test_deny_wins_over_allow(self):
        with self.caller(*allow("**.example.com", "api.example.com"), *deny("api.example.com", "web.test")) as caller:
            for front in (fronts.connect, fronts.absolute):
                outcome = front(caller, b"api.example.com")
                self.assertEqual(outcome.code, 403)
                self.assertIn("X-Agentctl-Reason: deny-rule\r\n", outcome.text)
            self.assertEqual(fronts.socks(caller, b"api.example.com").code, 2)
            self.assertIsNone(fronts.lookup(caller, b"api.example.com"))
            self.assert_untouched()
            self.assertTrue(fronts.connect(caller, b"example.com").reached)

    def test_a_denied_port_leaves_the_others(self):
        with self.caller(*allow("example.com"), *deny("example.com:80")) as caller:
            self.assertEqual(fronts.absolute(caller, b"example.com").code, 403)
            self.assertTrue(fronts.connect(caller, b"example.com").reached)

    def test_nothing_listens_for_the_session_on_this_machine(self):
        with self.caller(*allow("web.test")):
            for table in ("tcp", "tcp6"):
                text = subprocess.run(inside(self.lab.machine, "cat", f"/proc/net/{table}"), capture_output=True, text=True, check=True).stdout
                listening = {line.split()[1].split(":")[1] for line in text.splitlines()[1:] if line.split()[3] == "0A"}
                self.assertEqual(listening, {f"{PORT:04X}", "0035"})  # the lab's own

    def test_the_door_is_no_way_to_itself_or_to_another_session_s(self):
        with self.caller(*allow("web.test")) as caller, self.caller(*allow("other.test"), name="second", cwd=self.second_project()) as second:
            for host in (b"127.0.0.1", b"localhost", b"198.18.0.1"):
                self.assertEqual(fronts.connect(caller, host, 3128).code, 403)
            self.assertEqual(fronts.connect(second, b"web.test").code, 403)
            self.assertEqual(fronts.connect(caller, b"other.test").code, 403)
            self.assert_untouched()

    def second_project(self):
        second = self.machine.home / "second"
        second.mkdir(exist_ok=True)
        (second / "caller_inside.py").write_bytes((self.project / "caller_inside.py").read_bytes())
        return second


class Ports(DoorCase):
    def echo(self, peer):
        self.assertEqual(peer.receive(until=b"ready\n"), b"ready\n")
        peer.send(b"and back")
        self.assertEqual(peer.receive(size=8), b"and back")

    def test_a_rule_with_a_port_opens_that_port_for_whatever_is_spoken_there(self):
        with self.caller(*allow("web.test:7000")) as caller:
            with caller.connect() as peer:
                peer.send(b"CONNECT web.test:7000 HTTP/1.1\r\nHost: web.test:7000\r\n\r\n")
                self.assertTrue(peer.receive(until=b"\r\n\r\n").startswith(b"HTTP/1.1 200"))
                self.echo(peer)
            with caller.connect() as peer:
                peer.send(b"\x05\x01\0")
                peer.receive(size=2)
                peer.send(b"\x05\x01\0\x03\x08web.test" + (7000).to_bytes(2, "big"))
                self.assertEqual(peer.receive(size=10)[:2], b"\x05\0")
                self.echo(peer)
            with caller.connect(fronts.lookup(caller, b"web.test"), 7000) as peer:
                self.echo(peer)
            self.assert_web_reached(7000, "web.test")

    def test_a_rule_with_a_port_opens_no_other(self):
        with self.caller(*allow("web.test:7000", "other.test:8443")) as caller:
            for port in (443, 22, 8443):
                outcome = fronts.connect(caller, b"web.test", port)
                self.assertEqual(outcome.code, 403)
                self.assertIn("X-Agentctl-Reason: other-port\r\n", outcome.text)
            self.assertEqual(fronts.absolute(caller, b"web.test").code, 403)
            self.assertEqual(fronts.connect(caller, b"other.test", 7000).code, 403)
            address = fronts.lookup(caller, b"web.test")
            with caller.connect(address, 443) as peer:
                self.assertFalse(fronts.tls_outcome(peer, b"web.test").reached)
            with caller.connect(address, 8443) as peer:  # which is there for another host
                peer.send(b"hello")
                self.assertEqual(peer.receive(), b"")
        self.assert_untouched()

    def test_a_rule_without_a_port_opens_the_web_s_two_and_no_other(self):
        with self.caller(*allow("web.test")) as caller:
            self.assertTrue(fronts.connect(caller, b"web.test").reached)
            self.assertTrue(fronts.absolute(caller, b"web.test").reached)
            self.look()
            for port in (1, 22, 25, 81, 7000, 8080, 8443, 65535):
                self.assertEqual(fronts.connect(caller, b"web.test", port).code, 403)
                with self.assertRaises(Refused) as failed:
                    caller.connect(fronts.lookup(caller, b"web.test"), port)
                self.assertEqual(failed.exception.word, "ECONNREFUSED")
            self.assert_untouched()

    def test_what_is_no_http_does_not_go_to_port_80(self):
        with self.caller(*allow("web.test")) as caller:
            for words in (b"SSH-2.0-OpenSSH_9.2\r\n", b"\x16\x03\x01\0\5hello", b"EHLO localhost\r\n", b"\0\0\0\0"):
                for tunnelled in (False, True):
                    with self.subTest(words=words, tunnelled=tunnelled):
                        peer = caller.connect() if tunnelled else caller.connect(fronts.lookup(caller, b"web.test"), 80)
                        with peer:
                            if tunnelled:
                                peer.send(b"CONNECT web.test:80 HTTP/1.1\r\nHost: web.test:80\r\n\r\n")
                                self.assertTrue(peer.receive(until=b"\r\n\r\n").startswith(b"HTTP/1.1 200"))
                            peer.send(words)
                            peer.receive(seconds=30)
                            self.assertNotEqual(peer.ended, "time")
                            self.assertEqual(self.look().connections(), [])

    def test_plain_http_goes_through_a_tunnel_to_port_80(self):
        with self.caller(*allow("web.test")) as caller, caller.connect() as peer:
            peer.send(b"CONNECT web.test:80 HTTP/1.1\r\nHost: web.test:80\r\n\r\n")
            self.assertTrue(peer.receive(until=b"\r\n\r\n").startswith(b"HTTP/1.1 200"))
            peer.send(b"GET / HTTP/1.1\r\nHost: web.test\r\n\r\n")
            self.assertIn(b"hello from web.test by http\n", peer.receive())


if __name__ == "__main__":
    unittest.main()
