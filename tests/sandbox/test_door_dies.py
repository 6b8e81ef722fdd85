# SPDX-License-Identifier: Apache-2.0
"""--net allowlist: the door is a process of its own that can do nothing else; without it a session has no network, never an open one."""
import os
import pathlib
import re
import signal
import unittest

import door_process
import fronts
import processes
from caller import Refused
from door_case import DoorCase, allow
from net_lab import MACHINE, PORT, ROUTER
from net_lab_names import INTERNET
from waiting import wait_for_end

QUICK_SECONDS = 3.0


class Dies(DoorCase):
    def kill(self, caller):
        door = door_process.find(caller.status())
        os.kill(door, signal.SIGKILL)
        wait_for_end(door)
        return door

    def assert_closed(self, caller):
        """The one way out is gone, and there is no other."""
        for address, port in (("127.0.0.1", 3128), ("198.18.0.1", 443), ("198.18.0.1", 80), (INTERNET, 443), (INTERNET, 80), (INTERNET, PORT),
                              (ROUTER, PORT), (MACHINE, PORT), ("127.0.0.1", PORT)):
            with self.subTest(address=address, port=port), self.assertRaises(Refused) as failed:
                caller.connect(address, port)
            self.assertIn(failed.exception.word, ("ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH"))
            self.assertLess(failed.exception.took, QUICK_SECONDS)
        with caller.connect(*fronts.NAMES, kind="datagram") as peer:
            peer.send(fronts.question(b"web.test"))
            self.assertEqual((peer.receive(seconds=5), peer.ended), (b"", "ECONNREFUSED"))

    def test_the_session_lives_and_has_no_network(self):
        with self.caller(*allow("web.test", "web.test:7000")) as caller:
            self.assertTrue(fronts.connect(caller, b"web.test").reached)
            with caller.connect() as peer:
                peer.send(b"CONNECT web.test:7000 HTTP/1.1\r\nHost: web.test:7000\r\n\r\n")
                peer.receive(until=b"ready\n")
                self.look()
                self.kill(caller)
                self.assertEqual(peer.receive(), b"")  # what was open is cut
                self.assertNotEqual(peer.ended, "time")
            self.assert_closed(caller)
            self.assert_untouched()

    def test_one_that_does_not_answer_is_ended_since_nobody_knows_its_rules(self):
        with self.caller(*allow("web.test")) as caller:
            door = door_process.find(caller.status())
            os.kill(door, signal.SIGSTOP)
            done = self.machine.run("allow", "s", "other.test")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("was ended: the session has no network any more", done.stderr)
            wait_for_end(door)
            self.assert_closed(caller)
            self.assertEqual(caller.status()["network"]["allow"], ["web.test"])
            self.assert_untouched()

    def test_status_says_so(self):
        with self.caller(*allow("web.test")) as caller:
            self.assertNotRegex(" ".join(caller.status()["warnings"]), "network.*lost|lost.*network")
            self.kill(caller)
            status = caller.status()
            self.assertEqual((status["state"], status["network"]["mode"]), ("running", "allowlist"))
            self.assertRegex(" ".join(status["warnings"]), "network.*lost|lost.*network")
            self.assertRegex(self.do("status", "s").stdout, "network.*lost|lost.*network")

    def test_it_cannot_be_opened_again(self):
        with self.caller(*allow("web.test")) as caller:
            self.kill(caller)
            for verb in ("allow", "deny"):
                done = self.machine.run(verb, "s", "other.test")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("network", done.stderr)
            self.assert_closed(caller)
            self.assert_untouched()

    def test_a_program_that_exec_brings_in_has_no_network_either(self):
        with self.machine.session(":", "--net", "allowlist", *allow("web.test")) as session:
            door = door_process.find(session.status())
            os.kill(door, signal.SIGKILL)
            wait_for_end(door)
            done = self.machine.run("exec", "s", "--", "sh", "-c", "curl -sS https://web.test/; curl -sS --noproxy '*' https://web.test/; "
                                    f"curl -sS --noproxy '*' http://{INTERNET}/")
            self.assertEqual(done.stdout, "")
            self.assertNotEqual(done.returncode, 0)
        self.assert_untouched()

    def test_the_end_of_the_session_takes_the_door_with_it(self):
        for end in (signal.SIGKILL, signal.SIGTERM):
            with self.machine.session(":", "--net", "allowlist", *allow("web.test")) as session:
                status = session.status()
                helpers = [pid for pid in door_process.below(status["pids"]["supervisor"]) if "agentctl" in processes.program(pid)]
                self.assertIn(door_process.find(status), helpers)
                os.kill(status["pids"]["supervisor"], end)
                for pid in helpers:
                    wait_for_end(pid, 15)
                session.supervisor.wait()


class Confined(DoorCase):
    """The door reads bytes that anybody may have chosen: what could a fault in it reach?"""

    def status_of(self, pid):
        return dict(line.split(":\t", 1) for line in processes.read(pid, "status").splitlines() if ":\t" in line)

    def test_it_has_no_privileges_and_few_system_calls(self):
        with self.caller(*allow("web.test")) as caller:
            fronts.connect(caller, b"web.test")
            told = self.status_of(door_process.find(caller.status()))
            self.assertEqual((told["Seccomp"], told["NoNewPrivs"]), ("2", "1"))
            for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
                self.assertEqual(int(told[name], 16), 0, name)

    def test_it_can_write_its_log_and_nothing_else(self):
        with self.caller(*allow("web.test")) as caller:
            fronts.connect(caller, b"web.test")
            door = door_process.find(caller.status())
            written = door_process.files_open_for_writing(door)
            self.assertLessEqual(len(set(written)), 2, written)  # the log's segments
            for path in written:
                self.assertRegex(path, r"/state/|/\.local/|memfd:|/agentctl/")
                self.assertFalse(pathlib.Path(path).is_relative_to(self.project))

    def test_it_is_seen_from_inside_by_nobody(self):
        with self.caller(*allow("web.test")) as caller:
            status = caller.status()
            door = door_process.find(status)
            self.assertNotIn(door, processes.members(status["cgroup"]["path"]))
            done = self.machine.run("exec", "s", "--", "sh", "-c", "cat /proc/[0-9]*/comm /proc/[0-9]*/cmdline | tr '\\0' ' '; ls /proc")
            seen = {int(word) for word in re.findall(r"^\d+$", done.stdout, re.M)}
            namespaces = {os.readlink(f"/proc/{pid}/ns/pid") for pid in (door, status["pids"]["leader"])}
            self.assertEqual(len(namespaces), 2)
            self.assertLess(len(seen), 12)

    def test_it_lives_in_the_network_of_this_machine_alone(self):
        with self.caller(*allow("web.test")) as caller:
            status = caller.status()
            door = door_process.find(status)
            self.assertEqual(os.readlink(f"/proc/{door}/ns/net"), os.readlink(f"/proc/{self.lab.machine}/ns/net"))
            self.assertNotEqual(os.readlink(f"/proc/{door}/ns/net"), os.readlink(f"/proc/{status['pids']['leader']}/ns/net"))

    def test_nothing_of_the_caller_s_environment_is_in_it(self):
        self.machine.environment["SECRET_OF_THE_CALLER"] = "42"
        self.addCleanup(self.machine.environment.pop, "SECRET_OF_THE_CALLER")
        with self.caller(*allow("web.test")) as caller:
            for descriptor, target in door_process.descriptors(door_process.find(caller.status())).items():
                self.assertNotRegex(target, r"^/(home|root)|/project", descriptor)

    def test_the_session_cannot_change_its_network(self):
        script = "ip route add default dev lo; ip link set lo down; ip address add 10.9.0.9/24 dev lo; echo $?"
        done = self.run_inside(script, *allow("web.test"))
        self.assertEqual(done.stdout, "2\n", done.stderr)
        self.assertEqual(len(re.findall("Operation not permitted", done.stderr)), 3, done.stderr)


if __name__ == "__main__":
    unittest.main()
