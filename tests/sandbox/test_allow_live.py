# SPDX-License-Identifier: Apache-2.0
"""allow, deny, status, logs --net and the receipt: the rules of a running session, and what its user hears of what was decided."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import unittest

import processes
from machine import Machine
from net_lab import INTERNET, PORT, NetLab
from pty_driver import PtyDriver
from waiting import wait_for_end

# "call.py HOST PORT": what the door answers to CONNECT, and what the host behind it says.
CALL = """
import socket, sys
host, port = sys.argv[1:]
with socket.create_connection(("127.0.0.1", 3128), 20) as door:
    door.sendall(f"CONNECT {host}:{port} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n".encode())
    head = b""
    while b"\\r\\n\\r\\n" not in head and (more := door.recv(4096)):
        head += more
    code = head.split()[1].decode()
    if code == "200":
        door.sendall(b"hello")
        code += " " + (head.partition(b"\\r\\n\\r\\n")[2] or door.recv(100)).decode().strip()
    print(code)
"""
NAME = "public.example"  # leads to INTERNET in the lab


class AllowCase(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.lab = self.enterContext(NetLab(self.machine.root))
        self.agentctl = self.machine.agentctl
        self.lab.move_in(self.machine)
        (self.machine.project / "call.py").write_text(CALL)

    def session(self, *options, script=":", **more):
        return self.machine.session(script, "--net", "allowlist", *options, **more)

    def do(self, *words):
        done = self.machine.run(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def call(self, host=NAME, port=PORT, session="s"):
        return self.do("exec", session, "--", "python3", "call.py", host, str(port)).stdout.strip()

    def events(self, session="s"):
        return [json.loads(line) for line in self.do("logs", session, "--net").stdout.splitlines()]

    def network(self, session="s"):
        return self.machine.status(session)["network"]

    def network_once(self, predicate, session="s"):
        """Once the supervisor has heard of it, which it writes into the record."""
        directory = self.machine.runtime / "agentctl" / self.machine.status(session)["id"]
        return processes.wait_for_directory_change(directory, lambda: predicate(found := self.network(session)) and found, 20, "what the door tells")


class Live(AllowCase):
    def test_a_host_is_reached_once_it_is_allowed_and_no_longer_once_it_is_denied(self):
        with self.session():
            self.assertEqual(self.call(), "403")
            told = self.do("allow", "s", f"{NAME}:{PORT}").stderr
            self.assertEqual(told, f"agentctl: 's' may reach '{NAME}:{PORT}' now\n")
            self.assertEqual(self.call(), f"200 hello from {INTERNET}")
            self.assertEqual([hit for hit in self.lab.hits() if hit[0] == INTERNET], [(INTERNET, "tcp")])
            told = self.do("deny", "s", f"{NAME}:{PORT}").stderr
            self.assertEqual(told, f"agentctl: 's' may not reach '{NAME}:{PORT}' any more\n")
            self.assertEqual(self.call(), "403")
            self.assertEqual([hit for hit in self.lab.hits() if hit[0] == INTERNET], [])

    def test_what_was_denied_is_told_with_what_to_type_and_typing_that_allows_it(self):
        with self.session():
            self.assertEqual(self.call(), "403")
            denial = self.network_once(lambda network: network["denied"] == 1)["last_denial"]
            self.assertEqual(denial["text"], f"'{NAME}:{PORT}' is denied: no rule allows it")
            verb = shlex.split(denial["remedy"])
            self.assertEqual(verb, ["agentctl", "allow", "s", f"{NAME}:{PORT}"])
            text = self.do("status", "s").stdout
            self.assertIn(f"denied     '{NAME}:{PORT}' is denied: no rule allows it\n           to allow it: {denial['remedy']}\n", text)
            self.do(*verb[1:])
            self.assertEqual(self.call(), f"200 hello from {INTERNET}")

    def test_status_has_the_rules_in_force_and_what_has_changed(self):
        with self.session("--allow", "a.example", "--deny", "b.example") as session:
            self.do("allow", "s", "Git.Example.net:22")
            self.do("deny", "s", "*.c.example")
            network = session.status()["network"]
            self.assertEqual((network["mode"], network["allow"], network["deny"]),
                             ("allowlist", ["a.example", "git.example.net:22"], ["b.example", "*.c.example"]))
            self.assertIn("network    allowlist: rules: 2 allow, 2 deny; connections: 0 let through, 0 denied\n"
                          "changed    allow git.example.net:22\nchanged    deny *.c.example\n", self.do("status", "s").stdout)
            self.do("deny", "s", "git.example.net:22")
            self.assertEqual(session.status()["network"]["allow"], ["a.example"])

    def test_a_session_is_found_by_the_beginning_of_its_name(self):
        with self.session(name="webshop"):
            self.do("allow", "web", f"{NAME}:{PORT}")
            self.assertEqual(self.call(session="webshop"), f"200 hello from {INTERNET}")
            self.do("deny", "w", f"{NAME}:{PORT}")
            self.assertEqual(self.call(session="webshop"), "403")

    def test_a_rule_that_opens_more_than_one_host_says_so(self):
        with self.session():
            told = self.do("allow", "s", "*.github.io").stderr
            self.assertEqual(told, "agentctl: 's' may reach '*.github.io' now: every host below 'github.io', where anybody can have one\n")

    def test_the_first_denial_is_told_once_and_again_after_its_user_has_allowed_something(self):
        with self.session("-q") as session:
            def told():
                return [text for text in session.status()["warnings"] if "is denied" in text]
            for port in (PORT, 22):
                self.assertEqual(self.call(port=port), "403")
            self.network_once(lambda network: network["denied"] == 2)
            self.assertEqual(told(), [f"network: '{NAME}:{PORT}' is denied: no rule allows it; to allow it: agentctl allow s {NAME}:{PORT}"])
            self.do("allow", "s", f"{NAME}:{PORT}")
            self.assertEqual(self.call(port=23), "403")
            self.network_once(lambda network: network["denied"] == 3)
            self.assertEqual(len(told()), 2)

    def test_nothing_of_it_reaches_what_the_agent_draws_on(self):
        script = f"python3 call.py {NAME} {PORT}; echo DRAWN; read line"
        argv = self.machine.start_argv("--name", "s", "--net", "allowlist", "--", "sh", "-c", script)
        with PtyDriver(argv, self.machine.environment, self.machine.project) as terminal:
            terminal.expect("DRAWN")
            self.network_once(lambda network: network["denied"] == 1)
            self.assertNotIn("is denied", terminal.text())
            terminal.send("\n")
            terminal.wait()
            terminal.expect("1 denied: agentctl logs --net s")
            self.assertIn(f"network: '{NAME}:{PORT}' is denied", terminal.text())

    def test_that_the_door_is_lost_is_told_and_nothing_opens_it_again(self):
        with self.session("-q", "--allow", f"{NAME}:{PORT}") as session:
            status = session.status()
            [door] = [pid for pid in processes.children(status["pids"]["supervisor"]) if processes.read(pid, "comm").strip() == "agentctl-door"]
            os.kill(door, signal.SIGKILL)
            wait_for_end(door)
            status = session.status()
            self.assertEqual(status["state"], "running")
            self.assertIn("network: lost, since the process of its door has ended; only a new session has it again", status["warnings"])
            done = self.machine.run("allow", "s", "a.example")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^agentctl: 's': its network cannot be changed: ")
            self.assertEqual(session.status()["network"]["allow"], [f"{NAME}:{PORT}"])


class Log(AllowCase):
    def test_each_decision_is_a_line_of_json_while_the_session_runs_and_after(self):
        with self.session("--allow", f"{NAME}:{PORT}"):
            self.assertEqual(self.call(), f"200 hello from {INTERNET}")
            self.assertEqual(self.call("a.example", 443), "403")
            self.network_once(lambda network: (network["allowed"], network["denied"]) == (1, 1))
            self.assertIn(("denied", "connect", "a.example", 443, "no-rule", "a.example"),
                          [(event["verdict"], event["protocol"], event["host"], event["port"], event["reason"], event["allow"]) for event in self.events()])
            self.do("stop", "s")
        [allowed] = [event for event in self.events() if event["verdict"] == "allowed"]
        self.assertEqual((allowed["host"], allowed["port"], allowed["address"], allowed["bytes_up"], allowed["rule"]),
                         (NAME, PORT, INTERNET, 5, f"'{NAME}:{PORT}' (--allow)"))

    def test_the_receipt_has_both_counts(self):
        script = f"python3 call.py {NAME} {PORT}; python3 call.py a.example 443; python3 call.py b.example 443"
        done = self.machine.start(script, "--name", "s", "--net", "allowlist", "--allow", f"{NAME}:{PORT}")
        self.assertEqual(done.stdout.split(), ["200", "hello", "from", INTERNET, "403", "403"])
        [receipt] = self.machine.receipts()
        self.assertEqual(receipt["network"], {"mode": "allowlist", "allowed": 1, "denied": 2})
        self.assertIn("; network: 1 let through, 2 denied: agentctl logs --net s", done.stderr)
        self.assertIn("network    allowlist: 1 connections let through, 2 denied\n", self.do("receipt", "s").stdout)

    def test_the_receipt_of_a_killed_supervisor_has_what_was_known(self):
        with self.session() as session:
            self.assertEqual(self.call(), "403")
            self.network_once(lambda network: network["denied"] == 1)
            session.supervisor.kill()
            session.supervisor.wait()
        [receipt] = self.machine.receipts()
        self.assertEqual((receipt["cause"], receipt["network"]), ("supervisor-lost", {"mode": "allowlist", "allowed": 0, "denied": 1}))
        self.assertEqual([event["verdict"] for event in self.events()], ["denied"])

    def test_follow_tells_what_comes_and_ends_with_the_session(self):
        with self.session() as session, self.machine.popen("logs", "-f", "s", "--net") as logs:
            for host in ("a.example", "b.example"):
                self.assertEqual(self.call(host, 443), "403")
                self.assertEqual(json.loads(logs.stdout.readline())["host"], host)
            self.do("stop", "s")
            session.supervisor.wait()
            self.assertEqual(logs.wait(20), 0)

    def test_on_a_terminal_it_is_text_and_json_where_that_is_asked_for(self):
        with self.session():
            self.assertEqual(self.call("a.example", 443), "403")
            for words, expected in (((), "denied   a.example:443 (connect): no rule allows it; agentctl allow s a.example"),
                                    (("--json",), '"verdict":"denied"')):
                argv = [self.machine.agentctl, "logs", "s", "--net", *words]
                with PtyDriver(argv, self.machine.environment, self.machine.project, columns=400) as terminal:
                    self.assertEqual(terminal.wait(), 0)
                    terminal.expect(re.escape(expected))

    def test_the_log_is_the_users_alone_and_no_session_sees_it(self):
        with self.session() as session:
            self.assertEqual(self.call(), "403")
            [log] = (self.machine.home / ".local/state/agentctl/logs").glob("*/net")
            self.assertEqual((log.parent.name, oct(log.stat().st_mode & 0o7777)), (session.known["id"], oct(0o600)))
            self.assertEqual(self.do("exec", "s", "--", "sh", "-c", f"ls {log} {log.parent} 2>/dev/null || true").stdout, "")

    def test_a_limit_on_file_sizes_costs_lines_of_the_log_and_no_network(self):
        script = f"for n in $(seq 400); do echo n$n.{'x' * 60}.{'y' * 60}.example; done | while read host; do python3 call.py $host 443; done | sort | uniq -c"
        argv = self.machine.start_argv("-q", "--name", "s", "--net", "allowlist", "--", "sh", "-c", script)
        done = subprocess.run(["sh", "-c", 'ulimit -f 200; exec "$@"', "sh", *argv], env=self.machine.environment, cwd=self.machine.project,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=200, check=False)
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["400", "403"]), done.stderr)
        [log] = (self.machine.home / ".local/state/agentctl/logs").glob("*/net")
        self.assertLessEqual(log.stat().st_size, 200 * 512)
        self.assertEqual(self.machine.receipts()[0]["network"]["denied"], 400)


class Refused(AllowCase):
    def refuse(self, words, status, message):
        done = self.machine.run(*words)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, message)

    def test_a_session_with_another_network(self):
        for mode in ("none", "host"):
            with self.subTest(mode=mode), self.machine.session(":", "--net", mode) as session:
                before = session.status()["network"]
                for verb in ("allow", "deny"):
                    self.refuse((verb, "s", "a.example"), 1, f"^agentctl: 's': its network mode is '{mode}': hosts are allowed and denied with "
                                                            "'allowlist' alone\nhint: .*--net allowlist")
                self.refuse(("logs", "s", "--net"), 1, f"'s' has no log of its network, whose mode is '{mode}'")
                self.assertEqual(session.status()["network"], before)

    def test_nobody_s_session_and_one_of_several(self):
        self.refuse(("allow", "nobody", "a.example"), 1, "^agentctl: session 'nobody' not found")
        self.refuse(("logs", "nobody", "--net"), 1, "^agentctl: session 'nobody' not found")
        with self.session(name="web-one"):
            other = self.machine.root / "home/other"
            other.mkdir()
            with self.session(name="web-two", cwd=other):
                self.refuse(("deny", "web", "a.example"), 2, "'web' is ambiguous\nhint: candidates: web-one, web-two")

    def test_what_is_no_host_and_what_may_not_be_allowed(self):
        with self.session() as session:
            for host, why in (("https://a.example", "without scheme and path"), ("", "must not be empty"), ("a.example:0", "a port between 1 and 65535"),
                              ("!a.example", "must not hold '!'"), ("a b.example", "must not hold ' '")):
                with self.subTest(host=host):
                    self.refuse(("allow", "s", host), 2, why)
                    self.refuse(("deny", "s", host), 2, why)
            for host, why in (("localhost", "the loopback"), ("127.0.0.1", "the loopback"), ("*", "every host"), ("*.com", "top-level domain"),
                              ("0.0.0.0/0", "every address"), ("169.254.0.0/16", "a single address")):
                with self.subTest(host=host):
                    self.refuse(("allow", "s", host), 2, why)
            self.assertEqual(session.status()["network"]["allow"], [])

    def test_what_the_start_denies_is_not_allowed_later(self):
        with self.session("--deny", f"**.{NAME}") as session:
            self.refuse(("allow", "s", f"{NAME}:{PORT}"), 1, rf"^agentctl: 's': '{NAME}:{PORT}' is denied by '\*\*\.{NAME}' \(--deny\), which wins\nhint: ")
            self.assertEqual(session.status()["network"]["allow"], [])
            self.assertEqual(self.call(), "403")

    def test_a_session_cannot_change_what_it_reaches(self):
        shutil.copy(self.agentctl, self.machine.project / "agentctl")
        with self.session():
            for verb in ("allow", "deny"):
                done = self.machine.run("exec", "s", "--", "./agentctl", verb, "s", "a.example")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertRegex(done.stderr, "agentctl: cannot change from inside a session what sessions reach\nhint: ")
            self.assertEqual(self.network()["allow"], [])

    def test_a_port_of_the_door_is_not_published_nor_by_itself(self):
        serve = f"python3 -m http.server --bind 127.0.0.1 {PORT + 1} >/dev/null 2>&1 &"
        with self.session("--allow", f"{NAME}:{PORT}", "--publish", "auto", script=serve) as session:
            directory = self.machine.runtime / "agentctl" / session.known["id"]
            published = processes.wait_for_directory_change(directory, lambda: f"{PORT + 1}" in (found := self.network()["published"]) and found, 20,
                                                            "the server that is published")
            self.assertEqual(published, ["auto", f"{PORT + 1}"])
            self.do("allow", "s", f"{NAME}:9999")
            for port in (3128, PORT, 9999):
                self.refuse(("publish", "s", f"7777:{port}"), 1, f"port {port} is its door's to the network")

    def test_logs_that_cannot_be_meant(self):
        self.refuse(("logs", "s", "--net", "--raw"), 2, "--raw must not stand beside --net")
        self.refuse(("logs", "s", "--json"), 2, "--json only with --net")


if __name__ == "__main__":
    unittest.main()
