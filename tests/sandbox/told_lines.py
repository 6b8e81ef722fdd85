# SPDX-License-Identifier: Apache-2.0
"""What a server says on its standard output, a line of JSON each, kept as it comes so that the server never waits for a reader."""
import contextlib
import io
import json
import threading
import time

from waiting import Deadline, left


class ToldLines:
    """Reads until the server's end. `take()` gives what nobody has taken."""

    def __init__(self, process):
        self.changed = threading.Condition()
        self.lines = []
        self.thread = threading.Thread(target=self.keep, args=(process.stdout,), daemon=True)
        self.thread.start()

    def keep(self, stream):
        with io.BufferedReader(stream) as texts, contextlib.suppress(OSError, ValueError):  # the lab may have closed it
            for text in texts:
                with self.changed:
                    self.lines.append(json.loads(text))
                    self.changed.notify_all()

    def take(self):
        with self.changed:
            taken, self.lines = self.lines, []
            return taken

    def take_until(self, is_last, seconds=20, what="a line"):
        """All lines before the first for which is_last(line), which is taken with them and not given."""
        until = time.monotonic() + seconds
        with self.changed:
            while True:
                for at, line in enumerate(self.lines):
                    if is_last(line):
                        taken, self.lines = self.lines[:at], self.lines[at + 1:]
                        return taken
                if not self.changed.wait(left(until)) and time.monotonic() >= until:
                    raise Deadline(f"the server did not say {what} within {seconds} s; it said {self.lines[-5:]}")

    def wait_for(self, predicate, seconds=20, what="a line"):
        """The first line for which predicate(line); all before it are taken, too."""
        found = []

        def is_it(line):
            if predicate(line):
                found.append(line)
            return bool(found)
        self.take_until(is_it, seconds, what)
        return found[0]
