# SPDX-License-Identifier: Apache-2.0
"""Programs in panes of a tmux of the test's own: a terminal emulator whose screen, modes and size can be asked for.

A pane's output is copied to a FIFO, so that a test waits for output and never for time.
"""
import os
import re
import select
import shlex
import subprocess
import time

from waiting import Deadline


class Tmux:
    """`with Tmux(directory, environment) as tmux:` the server and all panes are gone afterwards."""

    def __init__(self, directory, environment):
        self.directory = directory
        self.environment = {**environment, "TERM": "xterm-256color"}
        self.panes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pane in self.panes:
            pane.close()
        if self.panes:
            self.run("kill-server")

    def run(self, *arguments):
        done = subprocess.run(["tmux", "-S", str(self.directory / "tmux"), "-f", "/dev/null", *arguments], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=20)
        return done.stdout

    def open(self, argv, cwd, rows=24, columns=80):
        """A pane in which a shell waits for nothing else than argv, and says afterwards how that ended."""
        pane = Pane(self, len(self.panes), argv, cwd, rows, columns)
        self.panes.append(pane)
        return pane


class Pane:
    def __init__(self, tmux, number, argv, cwd, rows, columns):
        self.tmux = tmux
        self.target = f"pane{number}"
        fifo = tmux.directory / f"{self.target}.fifo"
        os.mkfifo(fifo)
        self.changes = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        # The status is told by tmux; the shell keeps the terminal, so that it can be looked at.
        tells = "echo STATUS-$status; while read -r _; do echo STATUS-$status; done"
        script = f"{shlex.join(map(str, argv))}; status=$?; {tells}"
        tmux.run("new-session", "-d", "-s", self.target, "-x", str(columns), "-y", str(rows), "-c", str(cwd),
                 f"read go; {script}", ";", "set-option", "-g", "status", "off", ";",
                 "pipe-pane", "-t", self.target, f"cat > {shlex.quote(str(fifo))}")
        self.send("Enter")

    def close(self):
        os.close(self.changes)

    def screen(self):
        return self.tmux.run("capture-pane", "-p", "-t", self.target).split("\n")

    def styled(self):
        return self.tmux.run("capture-pane", "-e", "-p", "-t", self.target)

    def history(self):
        return self.tmux.run("capture-pane", "-p", "-S", "-", "-t", self.target)

    def ask(self, name):
        """One of tmux's formats: alternate_on, mouse_any_flag, cursor_flag, cursor_x, pane_title, …"""
        return self.tmux.run("display-message", "-p", "-t", self.target, f"#{{{name}}}").strip()

    def terminal(self):
        return self.ask("pane_tty")

    def settings(self):
        return subprocess.run(["stty", "-a", "-F", self.terminal()], capture_output=True, text=True, check=True).stdout

    def send(self, *keys):
        """Keys by tmux's names: Enter, C-c, Escape."""
        self.tmux.run("send-keys", "-t", self.target, *keys)

    def type(self, text):
        self.tmux.run("send-keys", "-t", self.target, "-l", text)

    def resize(self, rows, columns):
        self.tmux.run("resize-window", "-t", self.target, "-x", str(columns), "-y", str(rows))

    def expect(self, wanted, seconds=20.0):
        """Waits until the screen satisfies `wanted`, a regular expression or a predicate on its text; gives the screen."""
        test = wanted if callable(wanted) else re.compile(wanted, re.M).search
        until = time.monotonic() + seconds
        while True:
            screen = "\n".join(self.screen())
            if test(screen):
                return screen
            # tmux draws what it copies at once or a little later: after the last change it is looked at again.
            ready = select.select([self.changes], [], [], min(0.25, max(0.0, until - time.monotonic())))[0]
            if ready:
                os.read(self.changes, 65536)
            elif time.monotonic() >= until:
                raise Deadline(f"{wanted!r}: not on the screen within {seconds} s; it shows:\n{screen}")
