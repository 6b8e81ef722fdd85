# SPDX-License-Identifier: Apache-2.0
"""The mount table of a process, read from outside."""
import collections
import pathlib
import re

Mount = collections.namedtuple("Mount", "device root options type")


def mounts_of(pid):
    """The topmost mount at each mount point, by its path inside."""
    table = {}
    for line in pathlib.Path(f"/proc/{pid}/mountinfo").read_text().splitlines():
        fields = line.split(" ")
        separator = fields.index("-")
        point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])
        table[point] = Mount(fields[2], fields[3], fields[5].split(","), fields[separator + 1])
    return table
