# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal of its own: what it drew, typing, window size, exit status.

Answers the queries that full-screen programs send before they draw (cursor position, device attributes, colours), as a
plain xterm would. A reader thread keeps the terminal drained, so a test may wait for anything else meanwhile.
"""
import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import threading
import time

from waiting import Deadline

QUERY_ANSWERS = [
    (re.compile(rb"\x1b\[6n"), b"\x1b[1;1R"),                                # cursor position
    (re.compile(rb"\x1b\[0?c"), b"\x1b[?62;22c"),                            # primary device attributes
    (re.compile(rb"\x1b\[>0?c"), b"\x1b[>0;276;0c"),                         # secondary device attributes
    (re.compile(rb"\x1b\[>0?q"), b"\x1bP>|xterm(379)\x1b\\"),                # terminal name
    (re.compile(rb"\x1b\]10;\?(?:\x07|\x1b\\)"), b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
    (re.compile(rb"\x1b\]11;\?(?:\x07|\x1b\\)"), b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
]
# An escape sequence that the terminal would not show. Moving the cursor right is how some programs draw a blank.
CURSOR_RIGHT = re.compile(r"\x1b\[\d*C")
ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|[ -/]*[0-~])")


def visible_text(raw):
    text = CURSOR_RIGHT.sub(" ", raw.decode("utf-8", "replace"))
    return ESCAPE.sub("", text)


class PtyDriver:
    def __init__(self, argv, env, cwd, rows=40, columns=120):
        self.master, slave = os.openpty()
        self._set_size(rows, columns)
        self.settings_before = termios.tcgetattr(slave)
        self.changed = threading.Condition()
        self.raw = b""
        self._unanswered = b""
        self._closed = False
        self.slave_name = os.ttyname(slave)
        self.process = subprocess.Popen(argv, env=env, cwd=cwd, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.slave = slave  # kept open: the terminal outlives the program, so its settings can be read at the end
        self._wake_read, self._wake_write = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _set_size(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self):
        while True:
            ready = select.select([self.master, self._wake_read], [], [])[0]
            if self.master not in ready:
                return
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            self._answer(data)
            with self.changed:
                self.raw += data
                self.changed.notify_all()

    def _answer(self, data):
        self._unanswered += data
        end = 0
        for query, answer in QUERY_ANSWERS:
            for match in query.finditer(self._unanswered):
                os.write(self.master, answer)
                end = max(end, match.end())
        self._unanswered = self._unanswered[max(end, len(self._unanswered) - 32):]  # a query may be cut in two

    def text(self, since=0):
        return visible_text(self.raw[since:])

    def mark(self):
        return len(self.raw)

    def expect(self, wanted, seconds=20.0, since=0):
        """Waits until the visible text since a mark satisfies `wanted`: a regular expression or a predicate."""
        test = wanted if callable(wanted) else re.compile(wanted).search
        until = time.monotonic() + seconds
        with self.changed:
            while True:
                found = test(self.text(since))
                if found:
                    return found
                if not self.changed.wait(max(0.0, until - time.monotonic())) and time.monotonic() >= until:
                    raise Deadline(f"{wanted!r}: not on the screen within {seconds} s; it shows:\n{self.text(since)[-3000:]}")

    def send(self, data):
        os.write(self.master, data if isinstance(data, bytes) else data.encode())

    def resize(self, rows, columns):
        self._set_size(rows, columns)

    def settings(self):
        return termios.tcgetattr(self.slave)

    def wait(self, seconds=20.0):
        """Waits for the program's end; gives its exit status, negative for a signal."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Deadline(f"still running after {seconds} s; its screen shows:\n{self.text()[-3000:]}") from None

    def close(self):
        if self._closed:
            return
        self._closed = True
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.write(self._wake_write, b"x")
        self._reader.join()
        for fd in (self.master, self.slave, self._wake_read, self._wake_write):
            os.close(fd)
