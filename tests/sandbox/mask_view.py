# SPDX-License-Identifier: Apache-2.0
"""The files of a session as its agent has them, seen from outside through /proc/PID/root."""
import os
import pathlib

from waiting import wait_for_mounts


class MaskView:
    def __init__(self, session):
        self.leader = session.leader
        self.root = pathlib.Path(f"/proc/{self.leader}/root")

    def __truediv__(self, path):
        return self.root / str(path).lstrip("/")

    def wait(self, predicate, what):
        wait_for_mounts(self.leader, predicate, 10, what)

    def wait_until_hidden(self, path):
        self.wait(lambda: self.hides(path), f"{path} to be hidden again")

    def is_mount_point(self, path):
        mounts = (self.root.parent / "mountinfo").read_text().splitlines()
        return any(line.split()[4] == str(path) for line in mounts)

    def is_read_only(self, path):
        return bool(os.statvfs(self / path).f_flag & os.ST_RDONLY)

    def hides(self, path):
        """Whether the path is there, and is an empty, read-only thing."""
        place = self / path
        if not place.exists():
            return False
        empty = not os.listdir(place) if place.is_dir() else place.read_bytes() == b""
        return empty and self.is_read_only(path)


def replace(path, text):
    """As an editor saves."""
    new = path.with_name(path.name + ".tmp")
    new.write_text(text)
    new.rename(path)
