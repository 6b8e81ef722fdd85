# SPDX-License-Identifier: Apache-2.0
"""The guest as seen from outside every session: its user 'dev', that user's manager, cgroups and processes."""
import contextlib
import ctypes
import os
import pathlib
import pwd
import re
import select
import subprocess
import time

import waiting

CGROUPS = pathlib.Path("/sys/fs/cgroup")
DEV = pwd.getpwnam("dev")
HOME = pathlib.Path(DEV.pw_dir)
RUNTIME = pathlib.Path(f"/run/user/{DEV.pw_uid}")
USER_MANAGER = f"user@{DEV.pw_uid}.service"
USER_CGROUP = CGROUPS / f"user.slice/user-{DEV.pw_uid}.slice/{USER_MANAGER}"
SCOPE_NAME = re.compile(r"app-agentctl-[0-9a-f]{8}\.scope")
IN_DELETE, IN_CREATE, IN_MOVED_TO = 0x200, 0x100, 0x80
COMMAND_SECONDS = 60


def environment(**changes):
    """dev's environment after a login; a change to None takes a variable out."""
    base = {
        "HOME": str(HOME), "USER": "dev", "LOGNAME": "dev", "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "dumb",
        "PATH": "/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": str(RUNTIME),
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={RUNTIME}/bus",
    }
    return {name: value for name, value in {**base, **changes}.items() if value is not None}


def as_dev(**changes):
    """Arguments of subprocess that make a process dev's."""
    return {"user": DEV.pw_uid, "group": DEV.pw_gid, "extra_groups": [], "env": environment(**changes)}


@contextlib.contextmanager
def being_dev():
    """This process is dev's for as long: the user's bus takes nobody else, root neither."""
    os.setresuid(DEV.pw_uid, DEV.pw_uid, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def run(*command, seconds=COMMAND_SECONDS, **arguments):
    """Runs a command to its end; its status, stdout and stderr are the caller's to judge."""
    arguments.setdefault("cwd", "/")
    return subprocess.run(
        [str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        timeout=seconds, check=False, **arguments)


def must(*command, **arguments):
    """Runs a command of the test itself, which has to work."""
    done = run(*command, **arguments)
    if done.returncode != 0:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def user_systemctl(*arguments):
    return must("systemctl", "--user", *arguments, **as_dev())


def user_manager_pid():
    return int(must("systemctl", "show", "--value", "--property=MainPID", USER_MANAGER))


def watch(directory, events):
    descriptor = waiting.libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    if descriptor < 0 or waiting.libc.inotify_add_watch(descriptor, os.fsencode(directory), events) < 0:
        raise OSError(ctypes.get_errno(), f"cannot watch '{directory}'")
    return descriptor


def wait_for_names(directory, predicate, seconds, what):
    """Waits until predicate() holds, looking again whenever a name comes to or goes from `directory`."""
    until = time.monotonic() + seconds
    descriptor = watch(directory, IN_DELETE | IN_CREATE | IN_MOVED_TO)
    try:
        while not predicate():
            if not select.select([descriptor], [], [], waiting.left(until))[0]:
                raise waiting.Deadline(f"{what}: not within {seconds} s")
            os.read(descriptor, 65536)
    finally:
        os.close(descriptor)


def wait_for_user_manager(seconds=60):
    """Waits until dev's manager takes calls, and what it starts by default is up."""
    must("systemctl", "start", USER_MANAGER, seconds=seconds)
    wait_for_names(RUNTIME, (RUNTIME / "bus").exists, seconds, "the user bus")
    run("systemctl", "--user", "is-system-running", "--wait", seconds=seconds, **as_dev())


def restart_user_manager():
    must("systemctl", "restart", USER_MANAGER)
    wait_for_user_manager()


def wait_until_removed(directory, seconds=10):
    parent = directory.parent
    try:
        wait_for_names(parent, lambda: not directory.exists(), seconds, f"removal of '{directory}'")
    except OSError:
        if directory.exists():
            raise


def scope_cgroups():
    """The directories of all of our scopes there are, whoever's manager made them."""
    found = []
    for directory, below, _ in os.walk(CGROUPS):  # unlike glob, it takes a cgroup that vanishes meanwhile to be empty
        found += [pathlib.Path(directory, name) for name in below if SCOPE_NAME.fullmatch(name)]
    return found


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").strip()


def read_fields(path):
    """A flat-keyed kernel file: memory.events, cpu.stat, cgroup.events."""
    return {key: int(value) for key, value in (line.split() for line in read(path).splitlines())}


def members(cgroup):
    return [int(pid) for pid in read(cgroup / "cgroup.procs").split()]


def is_empty(cgroup):
    """Whether the kernel has nobody in it: `populated 0`, or no such cgroup any more."""
    try:
        return read_fields(cgroup / "cgroup.events")["populated"] == 0
    except OSError:
        return True


def mounts():
    """Everything mounted but the user's runtime directory, which comes and goes with the user's manager."""
    return [line for line in read("/proc/self/mounts").splitlines() if line.split()[1] != str(RUNTIME)]


def processes():
    """Each process there is: pid, command name and cgroup."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                yield int(entry), read(f"/proc/{entry}/comm"), read(f"/proc/{entry}/cgroup")
            except (FileNotFoundError, ProcessLookupError):
                continue


def processes_of_ours():
    """Programs of a session that still run, wherever they are."""
    programs = ("agentctl", "agentctl-stage", "bwrap")
    return [f"{pid} {name} {cgroup}" for pid, name, cgroup in processes()
            if name in programs or SCOPE_NAME.search(cgroup)]
