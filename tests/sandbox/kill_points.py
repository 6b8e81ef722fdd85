# SPDX-License-Identifier: Apache-2.0
"""Points in the life of a supervisor at which it is killed, named by the system call that it is about to make.

The first trace of an undisturbed run tells which of its calls of that name it is; strace(1) then delivers SIGKILL at the
entry of just that call, so nothing in the product has to know of the test.
"""
import dataclasses
import re


@dataclasses.dataclass
class KillPoint:
    number: int
    what: str
    call: str
    pattern: str
    occurrence: int = 1  # of the pattern, not of the call
    only_private: bool = False


START = [
    KillPoint(1, "before anything is forked", "clone", r"."),
    KillPoint(2, "before the record has a directory", "mkdirat", r'"\.[0-9a-f]{8}\.\d+"'),
    KillPoint(3, "before the record is whole", "renameat", r', "record"\)'),
    KillPoint(4, "before the record has its name", "renameat", r'"\.[0-9a-f]{8}\.\d+", \d+, "[0-9a-f]{8}"'),
    KillPoint(5, "before the control socket", "bind", r"AF_UNIX"),
    KillPoint(6, "before a private manager has its cgroups", "mkdir", r"agentctl-private-", 3, only_private=True),
    KillPoint(7, "before a private manager runs", "clone", r".", 2, only_private=True),
    KillPoint(8, "before the last process of ours is forked", "clone", r".", -1),
    KillPoint(9, "while its child is handed to a private manager", "write", r'"\d+", \d+\)', 3, only_private=True),
    KillPoint(10, "before the manager is asked for a scope", "sendmsg", r"app-agentctl-[0-9a-f]{8}\.scope"),
    KillPoint(11, "while the manager makes the scope", "recvmsg", r"app-agentctl-[0-9a-f]{8}\.scope|ok\\0/app\.slice"),
    KillPoint(12, "while the files of the launch are made", "memfd_create", r"agentctl-filter"),
    KillPoint(13, "before the held child is released", "sendmsg", r"SCM_RIGHTS", -1),
    KillPoint(14, "before bwrap may go on to its payload", "write", r'"b", 1\)'),
    KillPoint(15, "after the stage has come up", "pidfd_open", r".", -1),
    KillPoint(16, "while the late mounts are made", "read", r'"ok"'),
    KillPoint(17, "before the record says running", "renameat", r', "record"\)', 2),
    KillPoint(18, "before the stage is let go", "sendto", r'"g", 1,'),
    KillPoint(19, "as the agent begins to run", "epoll_wait", r"."),
    KillPoint(20, "as the agent has ended", "waitid", r"P_PID"),
    KillPoint(21, "before the anchor is let go", "kill", r"SIGKILL"),
    KillPoint(22, "before the receipt is kept", "renameat", r"\.json"),
    KillPoint(23, "while a private manager's cgroups are removed", "rmdir", r"agentctl-private-", 3, only_private=True),
    KillPoint(24, "before the record is removed", "unlinkat", r'"record", 0\)'),
    KillPoint(25, "before the record's directory is removed", "unlinkat", r"AT_REMOVEDIR"),
]
STOP = [
    KillPoint(26, "as a stop arrives", "accept4", r"SOCK_CLOEXEC"),
    KillPoint(27, "before the record says stopping", "renameat", r', "record"\)', 3),
    KillPoint(28, "before the agent is asked to end", "pidfd_send_signal", r"SIGTERM"),
    KillPoint(29, "after the agent was asked to end", "waitid", r"P_PID"),
    KillPoint(30, "before the record is removed after a stop", "unlinkat", r'"record", 0\)'),
    KillPoint(31, "before the stop is answered", "sendto", r'"ended '),
]


def calls(trace, name):
    return [line for line in trace.splitlines() if line.startswith(name + "(")]


def ordinal(trace, point):
    """Which call of its name the point is in an undisturbed run, from 1."""
    matching = [index for index, line in enumerate(calls(trace, point.call), 1) if re.search(point.pattern, line)]
    at = point.occurrence - 1 if point.occurrence > 0 else point.occurrence
    if not -len(matching) <= at < len(matching):
        raise AssertionError(f"point {point.number}, {point.what}: an undisturbed run makes no such call")
    return matching[at]


def session_id(trace):
    found = re.search(r'^mkdirat\(\d+, "\.([0-9a-f]{8})\.', trace, re.M)
    return found and found.group(1)
