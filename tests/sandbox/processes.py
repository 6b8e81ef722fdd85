# SPDX-License-Identifier: Apache-2.0
"""Processes and cgroups as the kernel shows them, from outside."""
import contextlib
import os
import pathlib
import select
import time

# The names of that room are used through this one.
from waiting import (Deadline, open_pidfd, wait_for_directory_change, wait_until_gone,  # noqa: F401
                     wait_until_true)

CGROUPS = pathlib.Path("/sys/fs/cgroup")


def every():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def read(pid, name):
    """The text of /proc/PID/NAME; empty for a process that is gone or a zombie."""
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def with_variable(name, value):
    return [pid for pid in every() if f"{name}={value}" in read(pid, "environ").split("\0")]


def state(pid):
    return read(pid, "stat").rpartition(")")[2].split()[0:1]


def arguments(pid):
    return read(pid, "cmdline").split("\0")[:-1]


def parent(pid):
    fields = read(pid, "stat").rpartition(")")[2].split()
    return int(fields[1]) if fields else 0


def children(pid):
    return [other for other in every() if parent(other) == pid]


def program(pid):
    """Its path, "" once it is gone."""
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def wakeups(pid):
    """How often it has gone on after waiting, or was made to wait: it sleeps where this stands still."""
    return sum(int(line.split()[1]) for line in read(pid, "status").splitlines() if "ctxt_switches" in line)


def cgroup_paths(pid):
    """{hierarchy: path}, with "" for the unified one."""
    lines = [line.split(":", 2) for line in read(pid, "cgroup").splitlines()]
    return {names: path for _, names, path in lines}


def members(cgroup):
    """The pids in a cgroup directory and below it."""
    pids = []
    for directory, _, _ in os.walk(cgroup):
        try:
            pids += [int(pid) for pid in pathlib.Path(directory, "cgroup.procs").read_text().split()]
        except OSError:
            pass
    return pids


def hierarchies():
    if (CGROUPS / "cgroup.procs").exists():
        return [CGROUPS]
    return [path for path in CGROUPS.iterdir() if (path / "cgroup.procs").exists() and not path.is_symlink()]


def cgroups_named(part):
    """Every cgroup directory, of any hierarchy, whose name contains `part`."""
    return [os.path.join(directory, name) for tree in hierarchies() for directory, names, _ in os.walk(tree)
            for name in names if part in name]


def wait_for_all_to_end(list_pids, seconds):
    """Waits until list_pids() is empty."""
    until = time.monotonic() + seconds
    while pids := list_pids():
        for pid in pids:
            pidfd = open_pidfd(pid)
            if pidfd is None:
                continue
            try:
                if not select.select([pidfd], [], [], max(0.0, until - time.monotonic()))[0]:
                    alive = [(other, arguments(other)[:6]) for other in list_pids()]
                    raise Deadline(f"still there after {seconds} s: {alive}")
            finally:
                os.close(pidfd)


def wait_until(directory, predicate, seconds, what):
    """wait_for_directory_change, for a file that may be replaced or gone when it is looked at."""
    def look():
        try:
            return predicate()
        except FileNotFoundError:
            return False
    return wait_for_directory_change(directory, look, seconds, what)


@contextlib.contextmanager
def frozen(pid):
    """Process `pid` stands still, in a cgroup of its own, until the block ends."""
    unified = next(tree for tree in hierarchies() if (tree / "cgroup.controllers").exists())
    own = unified / cgroup_paths(pid)[""].lstrip("/")
    cgroup = unified / f"agentctl-test-frozen-{pid}"
    cgroup.mkdir()
    (cgroup / "cgroup.procs").write_text(str(pid))
    (cgroup / "cgroup.freeze").write_text("1")
    with open(cgroup / "cgroup.events", encoding="ascii") as events:
        def is_frozen():
            events.seek(0)
            return "frozen 1" in events.read()
        wait_until_true(events, is_frozen, 5, f"process {pid} frozen")
    try:
        yield
    finally:
        (cgroup / "cgroup.freeze").write_text("0")
        for member in members(cgroup):
            (own / "cgroup.procs").write_text(str(member))
        cgroup.rmdir()
