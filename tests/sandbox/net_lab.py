# SPDX-License-Identifier: Apache-2.0
"""A machine on a network of its own: beside it a router with the local network behind it, and the internet behind that.

    machine   10.9.0.2/24 and its loopback
    router    10.9.0.1/24; the internet's server, 93.184.216.34, is an address of its (.35 to .37 are for servers of other
              kinds: internet.py); it serves names on port 53

and the same with IPv6 (fd10:9::/64, 2606:2800:220:1::34) where the lab is asked for it.

Everything listens on TCP and UDP and tells of whoever comes (net_lab_server.py): `lab.hits()`.
"""
import concurrent.futures
import ctypes
import json
import os
import pathlib
import select
import socket
import stat
import subprocess
import sys

from machine import Machine
from net_lab_names import HTTP2, INTERNET, INTERNET6, MODEL, RECORDER
from ordinary_user import UID, OrdinaryUser
from waiting import Deadline

HERE = pathlib.Path(__file__).resolve().parent
ROUTER, MACHINE = "10.9.0.1", "10.9.0.2"
ROUTER6, MACHINE6 = "fd10:9::1", "fd10:9::2"
PORT = 8080
HOLD = "echo up; exec sleep infinity"
CLONE_NEWNET = 0x40000000


def inside(pid, *command):
    return ["nsenter", f"--net=/proc/{pid}/ns/net", f"--mount=/proc/{pid}/ns/mnt", "--", *command]


def listen_in(pid, address, port):
    """A listening socket of ours in the network of process `pid`: one belongs to the network in which it was made, and a thread
    can go to another (setns(2))."""
    def make():
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"/proc/{pid}/ns/net", encoding="ascii") as network:
            if libc.setns(network.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "cannot enter the network")
        return socket.create_server((address, port), backlog=128)
    with concurrent.futures.ThreadPoolExecutor(1) as threads:  # which ends with its thread
        return threads.submit(make).result()


class NetLab:
    """`with NetLab(directory) as lab:`. Its networks and their servers are gone afterwards."""

    def __init__(self, directory, has_v6=True):
        self.directory = pathlib.Path(directory)
        self.has_v6 = has_v6
        self.holders, self.servers = [], []

    def __enter__(self):
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in [*self.servers, *self.holders]:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()

    def hold(self):
        """A process with a network and mounts of its own."""
        holder = subprocess.Popen(["unshare", "--net", "--mount", "sh", "-c", HOLD], stdout=subprocess.PIPE)
        self.holders.append(holder)
        holder.stdout.readline()
        return holder.pid

    def build(self):
        self.machine, self.router = self.hold(), self.hold()
        self.do(self.router, "ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", str(self.machine))
        for pid, address in ((self.machine, MACHINE), (self.router, ROUTER)):
            self.do(pid, "ip", "link", "set", "lo", "up")
            self.do(pid, "ip", "address", "add", f"{address}/24", "dev", "eth0")
            self.do(pid, "ip", "link", "set", "eth0", "up")
        for address in (INTERNET, RECORDER, HTTP2, MODEL):
            self.do(self.router, "ip", "address", "add", f"{address}/32", "dev", "lo")
        self.do(self.machine, "ip", "route", "add", "default", "via", ROUTER)
        if self.has_v6:
            for pid, address in ((self.machine, MACHINE6), (self.router, ROUTER6)):
                self.do(pid, "ip", "address", "add", f"{address}/64", "dev", "eth0", "nodad")
            self.do(self.router, "ip", "address", "add", f"{INTERNET6}/128", "dev", "lo", "nodad")
            self.do(self.machine, "ip", "route", "add", "default", "via", ROUTER6)
        self.hide_resolver(f"nameserver {ROUTER}\n")
        device = self.directory / "tun"
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(10, 200))
        os.chmod(device, 0o666)  # as it is where udev runs
        self.do(self.machine, "mount", "--bind", str(device), "/dev/net/tun")
        self.serve(self.router)
        self.serve(self.machine)

    def do(self, pid, *command):
        subprocess.run(inside(pid, *command), check=True, stdin=subprocess.DEVNULL)

    def hide_resolver(self, text):
        self.hide("/etc/resolv.conf", text)

    def hide(self, path, text):
        """The machine, and nobody else, has this text in the file."""
        own = self.directory / pathlib.Path(path).name
        own.write_text(text)
        self.do(self.machine, "mount", "--bind", str(own), os.path.realpath(path))

    def serve(self, pid):
        self.begin(pid, sys.executable, str(HERE / "net_lab_server.py"), str(PORT))

    def begin(self, pid, *command, **options):
        """A server in one of the networks, which says as JSON that it is ready; it ends with the lab."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **options}
        server = subprocess.Popen(inside(pid, *command), bufsize=0, **pipes)
        self.servers.append(server)
        self.read(server)
        return server

    @staticmethod
    def read(server, seconds=20):
        if not select.select([server.stdout], [], [], seconds)[0]:
            raise Deadline("the network's server says nothing")
        return json.loads(server.stdout.readline())

    def hits(self):
        """(who was reached, by what) of all that came since the last call: a connection of ours marks the end."""
        found = []
        for server, pid, address in ((self.servers[0], self.router, ROUTER), (self.servers[1], self.machine, MACHINE)):
            mark = f"import socket; socket.create_connection(('{address}', {PORT})).sendall(b'mark')"
            self.do(pid, sys.executable, "-c", mark)
            while (hit := self.read(server))["text"] != "mark":
                found.append((hit["address"], hit["kind"]))
        return found

    def move_in(self, machine):
        """From now on the machine's agentctl runs here."""
        program = machine.root / "agentctl-in-lab"
        privileges = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--"] if isinstance(machine, OrdinaryUser) else []
        enter = " ".join(inside(self.machine, *privileges, machine.agentctl)).replace(" -- ", ' --wd="$PWD" -- ', 1)
        program.write_text(f'#!/bin/sh\nexec {enter} "$@"\n')
        program.chmod(0o755)
        machine.agentctl = str(program)


class LabUser(OrdinaryUser):
    """nsenter needs root: the user is taken on only after it."""

    def popen(self, *arguments, **options):
        return Machine.popen(self, *arguments, **options)
