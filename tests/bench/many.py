#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""many.py BUILD [COUNT]: so many detached sessions of one user at once (200), beside a user manager.

Prints what a start takes with few sessions and with all but a few there, side by side; what `status` takes with all of
them; and of the idle supervisors the memory (Pss) and the voluntary context switches in ten seconds. Milliseconds are of
this machine and this moment; the ratio and the counts mean something. Every session is stopped at the end.
"""
import json
import os
import pathlib
import select
import statistics
import subprocess
import sys
import tempfile
import time

SAMPLE = 10  # starts, at either end
IDLE_SECONDS = 10


class Many:
    def __init__(self, build, home):
        self.agentctl = str(pathlib.Path(build).absolute() / "agentctl")
        self.home = pathlib.Path(home)
        self.environment = {"HOME": home, "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"]}

    def run(self, *arguments, **options):
        done = subprocess.run([self.agentctl, *arguments], env=self.environment, capture_output=True, text=True, **options)
        if done.returncode != 0:
            raise RuntimeError(f"agentctl {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done

    def start(self, number):
        project = self.home / f"project-{number}"
        project.mkdir()
        begun = time.monotonic()
        options = ("--name", f"many-{number}", "--memory-max", "64M")
        self.run("start", "-q", "--detach", *options, "--", "sleep", "infinity", cwd=project)
        return (time.monotonic() - begun) * 1000

    def end(self, number):
        self.run("stop", "--kill", f"many-{number}")

    def status(self):
        begun = time.monotonic()
        listed = json.loads(self.run("status", "--json").stdout)
        return (time.monotonic() - begun) * 1000, listed

    def table(self):
        begun = time.monotonic()
        self.run("status")
        return (time.monotonic() - begun) * 1000


def pss(pid):
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def switches(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("voluntary_ctxt_switches:"):
            return int(line.split()[1])
    return 0


def stay_idle(pids, seconds):
    """Lets so much time go by, which is what is measured; one of the processes that ends meanwhile spoils it."""
    ends = select.poll()
    pidfds = [os.pidfd_open(pid) for pid in pids]
    for pidfd in pidfds:
        ends.register(pidfd, select.POLLIN)
    ended = ends.poll(seconds * 1000)
    for pidfd in pidfds:
        os.close(pidfd)
    if ended:
        raise RuntimeError("a supervisor has ended while it was to be idle")


def median(values):
    return statistics.median(values)


def measure(many, count):
    first = []
    for number in range(SAMPLE):  # each alone, so that the first are measured as often as the last
        first.append(many.start(number))
        many.end(number)
        (many.home / f"project-{number}").rmdir()
    for number in range(count - SAMPLE):
        many.start(number)
    last = [many.start(number) for number in range(count - SAMPLE, count)]
    print(f"start: {median(first):.1f} ms with none there, {median(last):.1f} ms with {count - SAMPLE} to {count - 1}: "
          f"{median(last) / median(first):.2f}x (aim 1.3x)")
    tables = [many.table() for _ in range(5)]
    documents = [many.status()[0] for _ in range(5)]
    sessions = many.status()[1]
    print(f"status of {len(sessions)}: {median(tables):.1f} ms, --json {median(documents):.1f} ms (aim 100)")
    supervisors = [session["pids"]["supervisor"] for session in sessions]
    stay_idle(supervisors, 2)  # a supervisor gives its idle memory back after a second
    sizes = [pss(pid) for pid in supervisors]
    print(f"supervisor: Pss {median(sizes) / 1024:.2f} MB, at most {max(sizes) / 1024:.2f} (aim 3)")
    before = [switches(pid) for pid in supervisors]
    stay_idle(supervisors, IDLE_SECONDS)
    woken = sum(switches(pid) for pid in supervisors) - sum(before)
    print(f"wakeups of all {len(supervisors)} supervisors in {IDLE_SECONDS} s: {woken} (aim 0)")


def main():
    build, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory(prefix="agentctl-many-", dir="/var/tmp") as home:
        many = Many(build, home)
        try:
            measure(many, count)
        finally:
            many.run("stop", "--all", "--kill")


if __name__ == "__main__":
    main()
