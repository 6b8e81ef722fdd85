# SPDX-License-Identifier: Apache-2.0
"""--net nat: the public internet, and nothing of this machine or of the networks around it, whatever is tried."""
import contextlib
import json
import os
import signal
import subprocess
import unittest

import processes
from machine import Machine
from net_lab import INTERNET, INTERNET6, MACHINE, MACHINE6, PORT, ROUTER, ROUTER6, LabUser, NetLab, inside
from waiting import wait_for_end

CALL = f"""
import socket, sys, time
def call(address, kind=socket.SOCK_STREAM, bound=False, port={PORT}):
    began = time.monotonic()
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, kind) as caller:
        caller.settimeout(1 if bound else 3)
        if bound:
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"nat0")
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            if kind == socket.SOCK_DGRAM:
                hops = (socket.IPPROTO_IP, socket.IP_MULTICAST_TTL) if family == socket.AF_INET else (41, socket.IPV6_MULTICAST_HOPS)
                caller.setsockopt(*hops, 8)
        try:
            caller.connect((address, port))
            caller.sendall(b"hello")
            answer = caller.recv(100).decode().strip()
        except OSError as error:
            answer = "no: " + (error.strerror or str(error))
    slow = " slowly" if time.monotonic() - began > 0.8 else ""
    return answer + slow
"""
GATEWAY = "198.51.100.1"
GATEWAYS = (GATEWAY, "fd61:6765:6e74::1", "fe80::1%nat0", "ff05::1:3")  # dropped: there is a way, and nobody to say that it is closed
CLOSED = ["127.0.0.1", MACHINE, ROUTER, "169.254.169.254", GATEWAY, "192.168.1.1", "239.1.2.3", "10.9.0.255", "255.255.255.255",
          "::1", MACHINE6, ROUTER6, "fe80::1%nat0", "fd61:6765:6e74::1", "ff05::1:3", "64:ff9b::a09:1", "::ffff:10.9.0.1", "::10.9.0.1"]


class Nat(unittest.TestCase):
    user = Machine

    @contextlib.contextmanager
    def lab(self):
        with self.user() as machine, NetLab(machine.root) as lab:
            lab.move_in(machine)
            yield lab, machine

    def call(self, machine, code, *options):
        (machine.project / "call.py").write_text(CALL + code)
        done = machine.run("start", "--net", "nat", "-q", *options, "--", "python3", "call.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_the_internet_is_reached_by_address_and_by_name(self):
        with self.lab() as (lab, machine):
            said = self.call(machine, f"print(call('{INTERNET}'))\n"
                             "print(call('public.example'))\nprint(call('no.such.example'))")
            self.assertEqual(said[:2], [f"hello from {INTERNET}"] * 2)
            self.assertIn("no: ", said[2])
            found = lab.hits()
            self.assertEqual([hit for hit in found if hit[0] == INTERNET], [(INTERNET, "tcp"), (INTERNET, "tcp")])
            self.assertIn((ROUTER, "names"), found)  # asked by this machine, and not by the session

    def test_the_internet_is_reached_by_ipv6(self):
        with self.lab() as (lab, machine):
            said = self.call(machine, f"print(call('{INTERNET6}'))")
            self.assertEqual(said, [f"hello from {INTERNET6}"])
            self.assertEqual(lab.hits(), [(INTERNET6, "tcp")])

    def test_no_udp_leaves_and_none_of_the_host_s_comes_in(self):
        code = f"""
for address in ("{INTERNET}", "{INTERNET6}"):
    print(call(address, socket.SOCK_DGRAM), call(address, socket.SOCK_DGRAM, bound=True))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as thief:
    thief.bind(("0.0.0.0", 6002))
    try:
        thief.sendto(b"hello", ("{INTERNET}", {PORT}))
    except OSError as error:
        print("no:", error.strerror)
"""
        with self.lab() as (lab, machine):
            self.assertEqual(self.call(machine, code), ["no: Operation not permitted no: Operation not permitted"] * 2 + ["no: Operation not permitted"])
            self.assertEqual(lab.hits(), [])
            with machine.session(":", "--net", "nat"):
                table = subprocess.run(inside(lab.machine, "cat", "/proc/net/udp"), capture_output=True, text=True, check=True).stdout
                ports = {line.split()[1].split(":")[1] for line in table.splitlines()[1:]}
                self.assertEqual(ports - {f"{PORT:04X}", "0035"}, set())

    def test_an_address_of_the_host_s_is_closed_on_whichever_interface_it_is(self):
        with self.lab() as (lab, machine):
            lab.do(lab.machine, "ip", "address", "add", "8.8.4.4/32", "dev", "lo")
            lab.do(lab.machine, "ip", "address", "add", "5.5.5.5", "peer", "6.6.6.6/32", "dev", "eth0")
            said = self.call(machine, "for address in ('8.8.4.4', '5.5.5.5', '6.6.6.6'):\n    print(call(address), call(address, bound=True))")
            self.assertEqual([line for line in said if line.count("no: ") != 2], [])
            self.assertEqual(lab.hits(), [])

    def test_that_names_are_lost_is_told(self):
        with self.lab() as (lab, machine), machine.session(":", "--net", "nat", "-q") as session:
            supervisor = session.status()["pids"]["supervisor"]
            # It holds its two sockets and what it waits with, and nothing else.
            held = {pid: sorted(os.readlink(f"/proc/{pid}/fd/{fd}").split(":")[0] for fd in os.listdir(f"/proc/{pid}/fd"))
                    for pid in processes.children(supervisor)}
            [name_service] = [pid for pid, kinds in held.items() if kinds == ["anon_inode", "socket", "socket"]]
            os.kill(name_service, signal.SIGKILL)
            wait_for_end(name_service)
            self.assertIn("no names are found any more", " ".join(session.status()["warnings"]))

    def test_a_machine_without_ipv6_gives_none(self):
        with self.user() as machine, NetLab(machine.root, has_v6=False) as lab:
            lab.move_in(machine)
            said = self.call(machine, f"print(call('{INTERNET}'))\nprint(call('{INTERNET6}'))")
            self.assertEqual(said[0], f"hello from {INTERNET}")
            self.assertIn("no: ", said[1])

    def test_names_can_be_asked_for_by_tcp(self):
        with self.lab() as (lab, machine):
            query = r"b'\x12\x34\x01\0\0\1\0\0\0\0\0\0\6public\7example\0\0\1\0\1'"
            said = self.call(machine, "import struct\nwith socket.create_connection(('127.0.0.1', 53), 5) as names:\n"
                             f"    query = {query}\n    names.sendall(struct.pack('!H', len(query)) + query)\n"
                             "    print(socket.inet_ntoa(names.recv(500)[-4:]))")
            self.assertEqual(said, [INTERNET])
            self.assertEqual(lab.hits(), [(ROUTER, "names over tcp")])

    def test_nothing_of_this_machine_or_its_networks_is_reached_however_it_is_asked(self):
        with self.lab() as (lab, machine):
            code = f"for bound in (False, True):\n  for address in {CLOSED}:\n    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
            said = self.call(machine, code + "      print(address, bound, call(address, kind, bound))")
            self.assertEqual(len(said), 4 * len(CLOSED))
            self.assertEqual([line for line in said if " no: " not in line], [])
            self.assertEqual(lab.hits(), [])
            # Whoever tries in the usual way is told so at once.
            waited = [line for line in said if line.endswith("slowly") and " False " in line and not line.startswith(GATEWAYS)]
            self.assertEqual(waited, [])

    def test_a_name_that_leads_to_a_closed_address_is_closed(self):
        with self.lab() as (lab, machine):
            [said] = self.call(machine, "print(call('router.example'))")
            self.assertIn("no: ", said)
            self.assertEqual({kind for _, kind in lab.hits()}, {"names"})

    def test_the_session_cannot_open_what_is_closed(self):
        with self.lab() as (lab, machine):
            done = machine.start("ip route del unreachable 10.0.0.0/8; ip route add 10.9.0.1 dev nat0; ip link set nat0 down; echo $?", "--net", "nat", "-q")
            self.assertEqual(done.stdout, "2\n")
            self.assertEqual(done.stderr.count("Operation not permitted"), 3, done.stderr)

    def test_nothing_of_it_outlives_the_supervisor(self):
        with self.lab() as (lab, machine):
            for end in (signal.SIGKILL, signal.SIGTERM):
                with machine.session(":", "--net", "nat") as session:
                    supervisor = session.status()["pids"]["supervisor"]
                    children = processes.children(supervisor)
                    self.assertIn("passt", "".join(processes.program(pid) for pid in children))
                    os.kill(supervisor, end)
                    for pid in children:
                        wait_for_end(pid, 15)
                    session.supervisor.wait()

    def test_that_the_network_is_lost_is_told_and_the_session_goes_on_without(self):
        with self.lab() as (lab, machine):
            with machine.session(":", "--net", "nat", "-q") as session:
                supervisor = session.status()["pids"]["supervisor"]
                [pasta] = [pid for pid in processes.children(supervisor) if "passt" in processes.program(pid)]
                os.kill(pasta, signal.SIGKILL)
                wait_for_end(pasta)
                status = session.status()
                self.assertEqual(status["state"], "running")
                self.assertIn("network: lost", " ".join(status["warnings"]))
                (machine.project / "call.py").write_text(CALL + f"print(call('{INTERNET}'))")
                done = machine.run("exec", "s", "--", "python3", "call.py")
                self.assertIn("no: ", done.stdout)
                self.assertEqual([hit for hit in lab.hits() if hit[0] == INTERNET], [])

    def test_every_wall_of_the_probe_stands(self):
        with self.lab() as (lab, machine):
            options = ("--no-limits",) if self.user is LabUser else ()
            done = machine.run("probe", "--json", "--net", "nat", *options, seconds=120)
            verdicts = {}
            for item in json.loads(done.stdout)["items"]:
                verdicts.setdefault(item["verdict"], {})[item["id"]] = item["detail"]
            self.assertEqual((done.returncode, verdicts.keys() - {"PASS", "SKIP"}), (0, set()), verdicts)
            self.assertLessEqual({"loopback-tcp", "loopback-tcp6", "loopback-udp", "abstract-stream"}, set(verdicts["PASS"]))

    def test_status_and_the_agent_s_readme_say_what_is_open(self):
        with self.lab() as (lab, machine):
            with machine.session("cp /run/agentctl/README readme", "--net", "nat") as session:
                status = session.status()
                self.assertEqual(status["network"]["mode"], "nat")
                self.assertIn("net", status["sandbox"]["namespaces"])
                self.assertNotIn("network", " ".join(status["warnings"]))
                self.assertIn("You reach the public internet.", (machine.project / "readme").read_text())


class NatOfUser(Nat):
    """The same of a user without any privilege."""
    user = LabUser


class Refused(unittest.TestCase):
    def refuse(self, lab, machine, words, hint):
        done = machine.run("start", "--net", "nat", "--", "touch", "ran")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertIn(hint, done.stderr)
        self.assertFalse((machine.project / "ran").exists())
        self.assertEqual(machine.sessions(), [])

    @contextlib.contextmanager
    def lab(self):
        with Machine() as machine, NetLab(machine.root) as lab:
            lab.move_in(machine)
            yield lab, machine

    def test_without_pasta(self):
        with self.lab() as (lab, machine):
            lab.do(lab.machine, "mount", "--bind", "/dev/null", "/usr/bin/pasta")
            self.refuse(lab, machine, "network nat needs pasta, which is not found", "apt install passt")

    def test_with_a_pasta_that_fails(self):
        with self.lab() as (lab, machine):
            lab.do(lab.machine, "mount", "--bind", "/bin/false", "/usr/bin/pasta")
            self.refuse(lab, machine, "pasta has ended", "--net none or host")

    def test_with_a_pasta_that_does_nothing(self):
        with self.lab() as (lab, machine):
            still = machine.root / "still"
            still.write_text("#!/bin/sh\nexec sleep 60\n")
            still.chmod(0o755)
            lab.do(lab.machine, "mount", "--bind", str(still), "/usr/bin/pasta")
            self.refuse(lab, machine, "pasta gave the session no way to the internet in time", "")

    def test_with_a_pasta_that_others_may_change(self):
        with self.lab() as (lab, machine):
            open_to_all = machine.root / "pasta"
            open_to_all.write_text("#!/bin/sh\n")
            open_to_all.chmod(0o777)
            lab.do(lab.machine, "mount", "--bind", str(open_to_all), "/usr/bin/pasta")
            self.refuse(lab, machine, "refused to use '/usr/bin/pasta'", "install passt")

    def test_without_the_tunnel_device(self):
        with self.lab() as (lab, machine):
            lab.do(lab.machine, "mount", "-t", "tmpfs", "none", "/dev/net")
            self.refuse(lab, machine, "network nat needs '/dev/net/tun'", "modprobe tun")

    def test_without_a_network(self):
        with self.lab() as (lab, machine):
            lab.do(lab.machine, "ip", "link", "set", "eth0", "down")
            self.refuse(lab, machine, "this machine has none now", "--net none")


if __name__ == "__main__":
    unittest.main()
