# SPDX-License-Identifier: Apache-2.0
"""File systems that answer only as long as somebody else does: FUSE by the raw protocol, and an automount point.

Everything is mounted in a mount namespace of this process, which own_mounts() enters: nothing of it outlives the test.
"""
import contextlib
import ctypes
import errno
import os
import signal
import struct
import subprocess
import sys

CLONE_NEWNS = 0x20000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
MNT_FORCE, MNT_DETACH = 1, 2
LIBC = ctypes.CDLL(None, use_errno=True)
# Of <linux/fuse.h>.
LOOKUP, GETATTR, OPEN, READ, INIT, OPENDIR, READDIR, RELEASE, RELEASEDIR = 1, 3, 14, 15, 26, 27, 28, 18, 29
FORGET, INTERRUPT, BATCH_FORGET = 2, 36, 42
ROOT, FILE = 1, 2
NAME, CONTENT = b"file", b"remote content\n"


def call(function, *arguments):
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), function.__name__)


def mount(source, target, kind, flags=0, data=""):
    call(LIBC.mount, source.encode(), os.fsencode(target), kind.encode() if kind else None, flags, data.encode() or None)


def own_mounts():
    call(LIBC.unshare, CLONE_NEWNS)
    mount("none", "/", None, MS_REC | MS_PRIVATE)


def attributes(inode):
    mode, size = (0o40755, 0) if inode == ROOT else (0o100644, len(CONTENT))
    return struct.pack("<6Q10I", inode, size, 0, 0, 0, 0, 0, 0, 0, mode, 2, 0, 0, 0, 512, 0)


def answer(opcode, inode, payload):
    """What a file system of one directory with one file says; nothing where no answer is due; an errno."""
    if opcode == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 0, 0, 0, 0, 4096, 1, 0, 0, *[0] * 8)[:64]
    if opcode == GETATTR:
        return struct.pack("<QII", 0, 0, 0) + attributes(inode)
    if opcode == LOOKUP:
        return struct.pack("<QQQQII", FILE, 0, 0, 0, 0, 0) + attributes(FILE) if payload.rstrip(b"\0") == NAME else errno.ENOENT
    if opcode in (OPEN, OPENDIR):
        return struct.pack("<QII", 1, 0, 0)
    offset, size = struct.unpack_from("<QI", payload, 8) if opcode in (READ, READDIR) else (0, 0)
    if opcode == READ:
        return CONTENT[offset:offset + size]
    if opcode == READDIR:
        return b"" if offset else struct.pack("<QQII", FILE, 1, len(NAME), 8) + NAME.ljust(8, b"\0")
    return b"" if opcode in (RELEASE, RELEASEDIR) else errno.ENOSYS


def serve(device):
    while True:
        request = os.read(device, 1 << 17)
        _, opcode, unique, inode = struct.unpack_from("<IIQQ", request)
        if opcode in (FORGET, INTERRUPT, BATCH_FORGET):
            continue
        said = answer(opcode, inode, request[40:])
        number, text = (-said, b"") if isinstance(said, int) else (0, said)
        os.write(device, struct.pack("<IiQ", 16 + len(text), number, unique) + text)


class FuseMount:
    """Mounted, and served by a process of its own."""

    def __init__(self, place):
        self.place = place
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        mount("remote", place, "fuse.agentctl-test", 0, f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other")
        self.server = subprocess.Popen([sys.executable, __file__, str(device)], pass_fds=[device])
        os.close(device)
        os.listdir(place)

    def stop(self):
        self.server.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.server.pid, os.WSTOPPED | os.WNOWAIT)

    def close(self):
        self.server.kill()  # whoever waits for an answer gets an error then
        self.server.wait()
        call(LIBC.umount2, os.fsencode(self.place), MNT_FORCE | MNT_DETACH)


@contextlib.contextmanager
def fuse(place):
    place.mkdir(parents=True, exist_ok=True)
    mounted = FuseMount(place)
    try:
        yield mounted
    finally:
        mounted.close()


@contextlib.contextmanager
def automount(place):
    """A direct automount point whose daemon never answers."""
    place.mkdir(parents=True, exist_ok=True)
    reader, writer = os.pipe()
    daemon = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    try:
        mount("remote", place, "autofs", 0, f"fd={writer},pgrp={daemon.pid},minproto=5,maxproto=5,direct")
        try:
            yield reader
        finally:
            os.close(reader)  # whoever waits is let go
            reader = -1
            call(LIBC.umount2, os.fsencode(place), MNT_DETACH)
    finally:
        os.close(writer)
        if reader >= 0:
            os.close(reader)
        daemon.kill()
        daemon.wait()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
