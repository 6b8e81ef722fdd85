#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start.py BUILD [ROUNDS]: what a start costs, side by side in one interleaved run whose order rotates.

raw bwrap      bwrap with the very options and filters that agentctl's plan has, around /bin/true
systemd-run    systemd-run --user --scope with the same limits, around that bwrap
agentctl       agentctl start -q -- /bin/true
without walls  the same of a program that makes and proves no wall: see without_walls.toml
500 masks      the same, with a policy that hides 500 files

The last is held against agentctl with none, as raw bwrap has none. What the walls add is the median of what agentctl takes more
than the program without them in the same round: namespaces beside the user's and the mounts', filters, capabilities, keyring,
descriptors, private and read-only mounts, and the proof of all that. That is milliseconds of this machine and this moment, as the
medians are; the ratios mean something elsewhere, too. Then the memory of one idle supervisor (Pss of /proc/PID/smaps_rollup).
"""
import json
import operator
import os
import pathlib
import re
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import without_walls

DESCRIPTOR_OPTIONS = {"--bind-fd": 2, "--ro-bind-fd": 2, "--add-seccomp-fd": 1, "--block-fd": 1, "--json-status-fd": 1,
                      "--file": 2, "--bind-data": 2, "--ro-bind-data": 2}


TEXT = b"as long as what the agent is told of its limits\n" * 24


def plan_of(agentctl):
    printed = subprocess.run([agentctl, "start", "--dry-run", "--json", "--", "/bin/true"], check=True,
                             capture_output=True, text=True).stdout
    return json.loads(printed)


def filters(build):
    """The two seccomp programs as the build made them."""
    source = (pathlib.Path(build) / "bwrap" / "seccomp_filter.cpp").read_text()
    literals = re.findall(r"k_\w+_filter\[\] =\n((?:\s*\"[^\"]*\"\n?)+)", source)
    return [bytes(int(octal, 8) for octal in re.findall(r"\\([0-7]{3})", literal)) for literal in literals]


def memory_file(content):
    descriptor = os.memfd_create("bench")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class RawBwrap:
    """The plan's command line with descriptors of ours; what must be open is made anew for each run."""

    def __init__(self, build, plan):
        self.build = build
        self.plan = plan
        self.filters = filters(build)

    def command(self, held):
        words, pending = [], list(self.filters)
        options = self.plan["bwrap"]
        at = 0
        while at < len(options):
            option = options[at]
            count = DESCRIPTOR_OPTIONS.get(option, 0)
            if option in ("--bind-fd", "--ro-bind-fd"):
                source = self.plan["project"] if option == "--bind-fd" else os.path.join(self.build, "agentctl-stage")
                held.append(os.open(source, os.O_PATH))
                words += [option, str(held[-1]), options[at + 2]]
            elif option == "--add-seccomp-fd":
                held.append(memory_file(pending.pop(0)))
                words += [option, str(held[-1])]
            elif option in ("--file", "--bind-data", "--ro-bind-data"):
                held.append(memory_file(TEXT))
                words += [option, str(held[-1]), options[at + 2]]
            elif count == 0:
                words.append(option)
            at += count + 1
        return ["/usr/bin/bwrap", *words, "--", "/bin/true"]


def timed(command, held=(), environment=None):
    began = time.perf_counter()
    status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=held,
                            env=environment).returncode
    took = time.perf_counter() - began
    for descriptor in held:
        os.close(descriptor)
    if status != 0:
        sys.exit(f"bench: {command[0]} ended with {status}")
    return took * 1000


def limits_of(plan):
    limits = plan["limits"]
    return [f"--property=MemoryMax={limits['memory-max']}", f"--property=MemorySwapMax={limits['swap-max']}",
            f"--property=TasksMax={limits['tasks-max']}", f"--property=CPUWeight={limits['cpu-weight']}",
            f"--property=CPUQuota={limits['cpu-quota'] // 10000}%"]


def write_masks(project, config):
    """500 files in twenty directories of the project, and a policy for agentctl's user that hides each."""
    names = [f"d{number % 20}/secret{number}" for number in range(500)]
    for name in names:
        os.makedirs(os.path.join(project, os.path.dirname(name)), exist_ok=True)
        pathlib.Path(project, name).write_text("secret")
    os.makedirs(os.path.join(config, "agentctl"))
    hidden = ", ".join(f'"./{name}"' for name in names)
    pathlib.Path(config, "agentctl/policy.toml").write_text(f"[files]\nhide = [{hidden}]\n")


def interleave(contenders, rounds):
    """Milliseconds of each, in one run whose order rotates."""
    names = list(contenders)
    figures = {name: [] for name in names}
    for number in range(rounds + 2):
        for offset in range(len(names)):
            name = names[(number + offset) % len(names)]
            took = contenders[name]()
            if number >= 2:  # the first two rounds warm the caches
                figures[name].append(took)
    return figures


def run_agentctl_in(agentctl, project, **variables):
    return timed([agentctl, "start", "-q", "-C", project, "--", "/bin/true"], environment=os.environ | variables)


def measure_masks(agentctl, rounds, project, masked):
    """In a project and a run of their own: the kernel takes five hundred mounts down for a while after each."""
    return interleave({"no mask": lambda: run_agentctl_in(agentctl, project),
                       "500 masks": lambda: run_agentctl_in(agentctl, project, XDG_CONFIG_HOME=masked)}, rounds)


def measure(agentctl, bare, build, rounds):
    plan = plan_of(agentctl)
    raw = RawBwrap(build, plan)

    def run_raw():
        held = []
        return timed(raw.command(held), held)

    def run_systemd():
        held = []
        command = raw.command(held)
        return timed(["systemd-run", "--user", "--scope", "--quiet", *limits_of(plan), "--", *command], held)

    def run_agentctl(program=agentctl):
        return timed([program, "start", "-q", "--", "/bin/true"])

    run_agentctl()  # makes the project's cache, which the raw bwrap binds too
    return interleave({"raw bwrap": run_raw, "systemd-run": run_systemd, "agentctl": run_agentctl,
                       "without walls": lambda: run_agentctl(bare)}, rounds)


def supervisor_memory(agentctl):
    """KiB of Pss of the supervisor of a session that sleeps, its anchor included."""
    command = [agentctl, "start", "-q", "-n", "bench-idle", "--", "sh", "-c", "echo up; exec sleep 600"]
    session = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        select.select([session.stdout], [], [], 20)
        select.select([], [], [], 2)  # it gives back what only the start needed after a second
        pids = [session.pid, *(int(pid) for pid in
                               pathlib.Path(f"/proc/{session.pid}/task/{session.pid}/children").read_text().split())]
        kib = 0
        for pid in pids:
            if "agentctl" not in os.readlink(f"/proc/{pid}/exe"):
                continue  # bwrap
            kib += int(re.search(r"^Pss:\s+(\d+)", pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)[1])
        return kib
    finally:
        session.terminate()
        session.wait()


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    agentctl = os.path.join(build, "agentctl")
    scratch = tempfile.mkdtemp(prefix="agentctl-bench-")
    try:
        programs = os.path.join(scratch, "programs")
        os.mkdir(programs)
        bare = without_walls.build(build, programs)
        os.environ["XDG_STATE_HOME"] = os.path.join(scratch, "state")
        project = os.path.join(scratch, "project")
        os.mkdir(project)
        os.chdir(project)
        os.environ["PWD"] = project
        os.environ["XDG_CONFIG_HOME"] = os.path.join(scratch, "config")  # nobody's policy
        masked = os.path.join(scratch, "masked")
        secrets = os.path.join(scratch, "secrets")
        os.mkdir(secrets)
        write_masks(secrets, masked)
        figures = measure(agentctl, bare, build, rounds)
        figures |= measure_masks(agentctl, rounds, secrets, masked)
        print(f"{'':14}{'median ms':>11}{'min':>8}{'max':>8}")
        for name, values in figures.items():
            print(f"{name:14}{statistics.median(values):11.1f}{min(values):8.1f}{max(values):8.1f}")
        median = {name: statistics.median(values) for name, values in figures.items()}
        print(f"agentctl / raw bwrap    {median['agentctl'] / median['raw bwrap']:.2f}   (bar 1.5, aim 1.25)")
        print(f"agentctl / systemd-run  {median['agentctl'] / median['systemd-run']:.2f}   (bar 0.75)")
        added = statistics.median(map(operator.sub, figures["agentctl"], figures["without walls"]))
        print(f"walls add               {added:.2f} ms   (bar 3)")
        print(f"500 masks / none        {median['500 masks'] / median['no mask']:.2f}   (bar 1.2)")
        print(f"supervisor, idle        {supervisor_memory(agentctl) / 1024:.2f} MiB Pss   (bar 3)")
    finally:
        os.chdir("/")
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
