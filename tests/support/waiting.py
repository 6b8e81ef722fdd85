# SPDX-License-Identifier: Apache-2.0
"""Waiting on events with a deadline: processes by pidfd, files by inotify, cgroups by their events file. Never a sleep."""
import contextlib
import ctypes
import errno
import os
import select
import struct
import time

IN_CREATE, IN_MOVED_TO, IN_CLOSE_WRITE, IN_MODIFY, IN_DELETE, IN_ACCESS = 0x100, 0x80, 0x8, 0x2, 0x200, 0x1
libc = ctypes.CDLL(None, use_errno=True)


class Deadline(AssertionError):
    """What was waited for did not happen in time."""


def left(until):
    return max(0.0, until - time.monotonic())


def open_pidfd(pid):
    """A pidfd of process `pid`, or None if it has ended."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    except OSError as error:
        if error.errno == errno.EINVAL:  # reaped, and its number is still the name of a process group or of a session
            return None
        raise


def wait_for_end(pid, seconds=10.0):
    """Waits until process `pid` (a child or not) is gone."""
    pidfd = open_pidfd(pid)
    if pidfd is None:
        return
    try:
        if not select.select([pidfd], [], [], seconds)[0]:
            raise Deadline(f"process {pid} still lives after {seconds} s")
    finally:
        os.close(pidfd)


def open_watch(path, events):
    """An inotify descriptor that reports `events` of `path`."""
    watch = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(path), events) < 0:
        raise OSError(ctypes.get_errno(), f"cannot watch '{path}'")
    return watch


@contextlib.contextmanager
def reads_of(path):
    """Gives a function that waits until somebody has read the file since the beginning."""
    watch = open_watch(path, IN_ACCESS)

    def wait(seconds, what):
        if not select.select([watch], [], [], seconds)[0]:
            raise Deadline(f"{what}: not within {seconds} s")
    try:
        yield wait
    finally:
        os.close(watch)


def wait_for_directory_change(directory, predicate, seconds, what):
    """Waits until predicate() is true, looking again whenever a name or a file in `directory` changes."""
    watch = open_watch(directory, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE)
    until = time.monotonic() + seconds
    try:
        while True:
            found = predicate()
            if found:
                return found
            if not select.select([watch], [], [], left(until))[0]:
                raise Deadline(f"{what}: not within {seconds} s")
            os.read(watch, 65536)
    finally:
        os.close(watch)


def wait_for_file(path, seconds=10.0):
    """Waits until `path` exists and holds something; gives its text."""
    def text():
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None
    return wait_for_directory_change(os.path.dirname(path), text, seconds, f"file '{path}'")


def wait_for_mounts(pid, predicate, seconds, what):
    """Waits until predicate() is true, looking again whenever the mount table that process `pid` sees changes."""
    until = time.monotonic() + seconds
    with open(f"/proc/{pid}/mountinfo", encoding="utf-8") as table:
        poll = select.poll()
        poll.register(table, select.POLLPRI)
        while not predicate():
            if not poll.poll(left(until) * 1000):
                raise Deadline(f"{what}: not within {seconds} s")


def wait_until_empty(cgroup, seconds=5.0):
    """Waits until the cgroup directory (v2) says `populated 0`, or is gone."""
    until = time.monotonic() + seconds
    try:
        with open(os.path.join(cgroup, "cgroup.events"), encoding="ascii") as events:
            poller = select.poll()
            poller.register(events, select.POLLPRI)
            while "populated 0" not in events.read():
                if not poller.poll(int(left(until) * 1000)):
                    raise Deadline(f"cgroup '{cgroup}' is still populated after {seconds} s")
                events.seek(0)
    except (FileNotFoundError, OSError) as error:
        if getattr(error, "errno", None) not in (2, 19):  # ENOENT, ENODEV: the cgroup is gone
            raise


def wait_until_frozen(cgroup, seconds=5.0):
    """Waits until the cgroup directory (v2) says `frozen 1`."""
    until = time.monotonic() + seconds
    with open(os.path.join(cgroup, "cgroup.events"), encoding="ascii") as events:
        poller = select.poll()
        poller.register(events, select.POLLPRI)
        while "frozen 1" not in events.read():
            if not poller.poll(int(left(until) * 1000)):
                raise Deadline(f"cgroup '{cgroup}' is not frozen after {seconds} s")
            events.seek(0)


def wait_until_gone(path, seconds=5.0):
    """Waits until the file or directory `path` has been removed, and maybe those above it."""
    directory = os.path.dirname(path)
    while os.path.lexists(path):
        try:
            wait_for_directory_change(directory, lambda: not os.path.lexists(path), seconds, f"removal of '{path}'")
        except FileNotFoundError:
            continue  # the directory went away between the look and the watch


def wait_until_true(fd, predicate, seconds, what):
    """Waits until predicate() is true, looking again whenever descriptor `fd` reports an event (POLLIN, POLLPRI, POLLHUP)."""
    until = time.monotonic() + seconds
    poller = select.poll()
    poller.register(fd, select.POLLIN | select.POLLPRI)
    while not predicate():
        if not poller.poll(int(left(until) * 1000)):
            raise Deadline(f"{what}: not within {seconds} s")
