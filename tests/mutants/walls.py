#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that the probe notices when a wall is taken out. Each record of walls.toml takes one out of a copy of the tree, which is
built; then a start must be refused where the record says so, and of each group of the probe's items one must FAIL. For the
probe the start's own proof looks away, on a variable that nothing but this copy knows. Without a change nothing is refused, and each
of those items passes.

  walls.py [NAME…]        as root, beside a user manager: all walls, or those named
"""
import ctypes
import json
import os
import resource
import sys
import tempfile
import tomllib

from machine import Machine
from mutant_bench import HERE, Bench, Edit, Failure, edits_of

LOOKS_AWAY = "AGENTCTL_MUTANT_LOOKS_AWAY"
WAITS = "echo ready > .ready; exec sleep 1000"
PROBE_SECONDS = 180
CLONE_NEWNS, MS_REC, MS_SHARED = 0x20000, 0x4000, 0x100000


class Wall:
    def __init__(self, record):
        self.name = record["name"]
        self.edits = edits_of(record)
        self.refused = record.get("refused", [])  # what the refusal of a start says; none: it starts
        self.items = record.get("items", [])  # groups, of each of which one must FAIL; none: nothing inside shows it
        self.options = tuple(record.get("options", []))  # of the start and of the probe
        self.in_session = record.get("in_session", False)  # probe NAME, of a session that runs
        if not self.refused and not self.items:
            raise Failure(f"{self.name}: nobody is said to notice")


def share_mounts():
    """In a mount namespace of our own, as systemd has them: here, what a start did not make private would be seen."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0 or libc.mount(None, b"/", None, MS_REC | MS_SHARED, None) != 0:
        raise Failure(f"cannot share the mounts: {os.strerror(ctypes.get_errno())}")


def probe(wall):
    """The verdict of each item by its name."""
    with Machine() as machine:
        machine.environment[LOOKS_AWAY] = "1"
        if wall.in_session:
            with machine.session(WAITS, *wall.options, waits=True):
                done = machine.run("probe", "--json", "s", seconds=PROBE_SECONDS)
        else:
            done = machine.run("probe", "--json", *wall.options, seconds=PROBE_SECONDS)
    if not done.stdout:
        raise Failure(f"{wall.name}: the probe gave no result: {done.stderr}")
    return {item["id"]: item["verdict"] for item in json.loads(done.stdout)["items"]}


def complaint_about_start(wall, refused):
    """What is wrong with how a start ends; "" when it ends as `refused` says."""
    with Machine() as machine:
        done = machine.run("start", "-q", *wall.options, "--", "true")
    said = done.stderr.strip()
    if not refused:
        return "" if done.returncode == 0 else f"the start ended with {done.returncode}: {said}"
    unsaid = [text for text in refused if text not in done.stderr]
    return f"the start ended with {done.returncode} and does not say {unsaid}: {said}" if unsaid or done.returncode != 125 else ""


def check_control(walls):
    seen = {}
    for wall in walls:
        key = (wall.options, wall.in_session)
        if key not in seen:
            if complaint := complaint_about_start(wall, []):
                raise Failure(f"nothing is changed, and {complaint}")
            seen[key] = probe(wall)
            wrong = sorted(name for name, verdict in seen[key].items() if verdict in ("FAIL", "VOID"))
            if wrong:
                raise Failure(f"nothing is changed, and the probe says FAIL or VOID of {', '.join(wrong)}")
        for group in wall.items:
            if not any(seen[key].get(name) == "PASS" for name in group):
                verdicts = {name: seen[key].get(name, "no such item") for name in group}
                raise Failure(f"{wall.name}: nothing is changed, and none of these passes: {verdicts}")


def check(wall):
    """How the missing wall was noticed, and what did not notice it."""
    noticed, missed = [], []
    if complaint := complaint_about_start(wall, wall.refused):
        missed.append(complaint)
    elif wall.refused:
        noticed.append("start refused")
    if wall.items:
        verdicts = probe(wall)
        failed = [name for group in wall.items for name in group if verdicts.get(name) == "FAIL"]
        noticed += [f"FAIL {name}" for name in failed]
        missed += [f"no FAIL of {', '.join(f'{name} ({verdicts.get(name)})' for name in group)}"
                   for group in wall.items if not set(group) & set(failed)]
    return noticed, missed


def try_wall(bench, wall):
    originals = bench.change(wall.name, wall.edits)
    try:
        bench.build()
        return check(wall)
    finally:
        bench.write(originals)


def may_dump_core():
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except ValueError:
        return resource.getrlimit(resource.RLIMIT_CORE)[1] != 0
    return True


def main(names):
    records = tomllib.loads((HERE / "walls.toml").read_text())
    walls = [Wall(record) for record in records["wall"]]
    if unknown := set(names) - {wall.name for wall in walls}:
        raise Failure(f"no wall is called {', '.join(sorted(unknown))}")
    chosen = [wall for wall in walls if not names or wall.name in names]
    if not may_dump_core():
        print("not tried: core dumps: this process, like what sudo starts, has none to take away", flush=True)
        for wall in chosen:
            wall.items = [group for group in wall.items if group != ["core-dump"]]
        chosen = [wall for wall in chosen if wall.items or wall.refused]
    share_mounts()
    standing = []
    with tempfile.TemporaryDirectory(prefix="agentctl-walls-", dir="/var/tmp") as place:
        bench = Bench(place, ["agentctl", "agentctl-stage", "agentctl-probe"])
        bench.change("looking away", [Edit(**edit) for edit in records["looks_away"]])
        bench.build()
        os.environ["AGENTCTL"] = str(bench.build_dir / "agentctl")
        check_control(chosen)
        for wall in chosen:
            noticed, missed = try_wall(bench, wall)
            print(f"{'NOT NOTICED' if missed else 'noticed'}: {wall.name}: {', '.join(noticed)}{'; ' if missed else ''}{'; '.join(missed)}",
                  flush=True)
            if missed:
                standing.append(wall.name)
    print(f"{len(chosen) - len(standing)} of {len(chosen)} missing walls were noticed")
    return 1 if standing else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        print(f"walls: {failure}", file=sys.stderr)
        sys.exit(1)
