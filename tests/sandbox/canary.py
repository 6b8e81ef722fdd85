# SPDX-License-Identifier: Apache-2.0
"""A witness of everything that leaves the lab's machine, or goes round in it: see canary_sniffer.py for what it sees."""
import pathlib
import subprocess
import sys

from told_lines import ToldLines

SNIFFER = pathlib.Path(__file__).resolve().parent / "canary_sniffer.py"


class Sightings(list):
    """What the canary saw, in the order in which it happened."""

    def connections(self):
        """(address, port) of each TCP connection that somebody began."""
        return [(seen["address"], seen["port"]) for seen in self if seen["kind"] == "tcp"]

    def names(self):
        """Each name once that somebody asked a server of names for, in the case in which it went out."""
        return sorted({seen["name"] for seen in self if seen["kind"] == "name"})

    def others(self):
        """Datagrams and the rest: nothing here sends any but for names."""
        return [seen for seen in self if seen["kind"] not in ("tcp", "name")]


class Canary:
    """In the network of process `pid`; it ends with the lab, whose begin() started it."""

    def __init__(self, lab, pid):
        self.process = lab.begin(pid, sys.executable, str(SNIFFER), stdin=subprocess.PIPE)
        self.told = ToldLines(self.process)
        self.marks = 0

    def look(self):
        """What happened since the last look: a packet of our own marks the end."""
        self.marks += 1
        self.process.stdin.write(f"{self.marks}\n".encode())
        mark = {"kind": "mark", "number": self.marks}
        return Sightings(self.told.take_until(lambda line: line == mark, what=f"mark {self.marks}"))
