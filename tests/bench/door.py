#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""door.py BUILD [ROUNDS]: what the door of --net allowlist costs, side by side in one interleaved run whose order rotates.

A client and a proxy on one machine, a server on another, both in network namespaces of this one: the same client and server, once
without a proxy (direct), through the door from inside a session, and through squid and tinyproxy, where those are installed.

stream     one stream of 1 GiB, MB/s
one by one new connections per second, one after the other      16 at once: sixteen beside each other

All share this machine's processors, so that MB/s are of this machine and this moment; the ratios mean something elsewhere, too.
Then the door's memory (VmRSS of /proc/PID/status) after 1,000 connections and after 10,000 more.
"""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "sandbox"), str(HERE.parent / "support")]
import door_process  # noqa: E402
from machine import Machine  # noqa: E402
from net_lab import NetLab, inside  # noqa: E402
from net_lab_names import INTERNET  # noqa: E402

PYTHON = "/usr/bin/python3"  # which a session has, too
CLIENT, SERVER = HERE / "door_client.py", HERE / "door_server.py"
STREAM, SHORT, SQUID, TINYPROXY, DOOR = 9000, 9001, 3130, 3131, 3128
COUNT = 2000
WARM_UP, MANY = 1000, 10000
SQUID_CONF = """\
http_port 127.0.0.1:{port}
http_access allow all
cache deny all
access_log none
cache_log /dev/null
cache_store_log none
pid_filename none
netdb_filename none
shutdown_lifetime 0 seconds
visible_hostname bench
"""
TINYPROXY_CONF = "Port {port}\nListen 127.0.0.1\nTimeout 600\nMaxClients 200\nLogLevel Critical\nLogFile \"/dev/null\"\n"
PROXIES = {"squid": (SQUID, SQUID_CONF, ["-N", "-f"]), "tinyproxy": (TINYPROXY, TINYPROXY_CONF, ["-d", "-c"])}


class Bench:
    def __init__(self, machine, lab):
        self.machine, self.lab = machine, lab
        self.ends = []

    def begin(self, name):
        """A proxy on the machine's loopback, if it is installed; whether it is."""
        port, text, options = PROXIES[name]
        program = shutil.which(name, path="/usr/sbin:/usr/bin")
        if program is None:
            return False
        conf = self.machine.root / f"{name}.conf"
        conf.write_text(text.format(port=port))
        process = subprocess.Popen(inside(self.lab.machine, program, *options, str(conf)), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.ends.append(process)
        until = time.monotonic() + 20
        while f":{port:04X} 00000000:0000 0A" not in pathlib.Path(f"/proc/{self.lab.machine}/net/tcp").read_text():
            if process.poll() is not None or time.monotonic() > until:
                sys.exit(f"bench: {name} does not listen")
        return True

    def end(self):
        for process in self.ends:
            process.kill()
            process.wait()

    def call(self, proxy_port, *words):
        words = [*map(str, words[:3]), str(proxy_port), *map(str, words[3:])]
        if proxy_port == DOOR:
            done = self.machine.run("exec", "bench", "--", PYTHON, CLIENT.name, *words, seconds=300)
        else:
            done = subprocess.run(inside(self.lab.machine, PYTHON, str(CLIENT), *words), capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"bench: {words[0]} through {proxy_port}: {done.stdout}{done.stderr}")
        return float(done.stdout)


def resident(pid):
    return int(re.search(r"^VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1])


def measure(bench, contenders, address, rounds):
    figures = {name: {"stream": [], "one by one": [], "16 at once": []} for name in contenders}
    names = list(contenders)
    for number in range(rounds + 1):
        for offset in range(len(names)):
            name = names[(number + offset) % len(names)]
            port = contenders[name]
            took = {"stream": bench.call(port, "stream", address, STREAM),
                    "one by one": bench.call(port, "connections", address, SHORT, COUNT, 1),
                    "16 at once": bench.call(port, "connections", address, SHORT, 2 * COUNT, 16)}
            if number >= 1:  # the first round warms up
                for what, value in took.items():
                    figures[name][what].append(value)
    return figures


def show(figures):
    print(f"{'':12}{'stream MB/s':>24}{'one by one /s':>24}{'16 at once /s':>24}")
    median = {}
    for name, kinds in figures.items():
        cells = [f"{statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f})" for values in kinds.values()]
        print(f"{name:12}" + "".join(f"{cell:>24}" for cell in cells))
        median[name] = {what: statistics.median(values) for what, values in kinds.items()}
    print(f"door / direct     stream {median['door']['stream'] / median['direct']['stream']:.2f}   (bar 0.6)")
    for name, word in (("squid", "bar 1"), ("tinyproxy", "aim 1")):
        if name not in median:
            print(f"door / {name:10} not measured: {name} is not installed")
            continue
        ratios = ", ".join(f"{what} {median['door'][what] / median[name][what]:.2f}" for what in median[name])
        print(f"door / {name:10} {ratios}   ({word})")


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    os.environ["AGENTCTL"] = os.path.join(build, "agentctl")
    with Machine() as machine, NetLab(machine.root) as lab:
        lab.move_in(machine)
        lab.begin(lab.router, PYTHON, str(SERVER), INTERNET)
        shutil.copy(CLIENT, machine.project)
        bench = Bench(machine, lab)
        try:
            contenders = {"direct": 0, "door": DOOR} | {name: PROXIES[name][0] for name in PROXIES if bench.begin(name)}
            rules = [word for port in (STREAM, SHORT) for word in ("--allow", f"{INTERNET}:{port}")]
            # A session's own limit of the processors would be measured, not the door.
            with machine.session(":", "--net", "allowlist", "--cpu-quota", "infinity", *rules, name="bench") as session:
                show(measure(bench, contenders, INTERNET, rounds))
                door = door_process.find(session.status())
                bench.call(DOOR, "connections", INTERNET, SHORT, WARM_UP, 16)
                before = resident(door)
                bench.call(DOOR, "connections", INTERNET, SHORT, MANY, 16)
                after = resident(door)
                print(f"memory of the door    {before} KiB, {after} KiB after {MANY} connections more   (bar: the same)")
        finally:
            bench.end()


if __name__ == "__main__":
    main()
