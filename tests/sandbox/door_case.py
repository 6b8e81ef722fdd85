# SPDX-License-Identifier: Apache-2.0
"""Tests of `--net allowlist`: one machine and one lab for a class, a session for each test."""
import contextlib
import time
import unittest

from caller import Caller
from internet import Internet
from machine import Machine
from net_lab_names import INTERNET
from waiting import Deadline


def allow(*hosts):
    return [word for host in hosts for word in ("--allow", host)]


def deny(*hosts):
    return [word for host in hosts for word in ("--deny", host)]


def eventually(look, seconds=15, what="what was looked for"):
    """The first true look(): for what only a command tells, which nobody can wait for."""
    until = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > until:
            raise Deadline(f"{what}: not within {seconds} s")
    return found


class DoorCase(unittest.TestCase):
    user = Machine

    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.machine = stack.enter_context(cls.user())
        cls.lab = stack.enter_context(Internet(cls.machine.root))
        cls.lab.move_in(cls.machine)
        cls.project = cls.machine.project
        cls.certificate = cls.lab.give_certificate(cls.project)

    def setUp(self):
        self.look()

    def look(self):
        return self.lab.canary.look()

    def caller(self, *options, **more):
        return Caller(self.machine, "--net", "allowlist", *options, **more)

    def run_inside(self, script, *options, seconds=120, **more):
        """A session that runs the script, with the certificate of the lab's authority at $CA."""
        words = ("-q", "--net", "allowlist", "--env", f"CA={self.certificate}", *options)
        return self.machine.start(script, *words, seconds=seconds, **more)

    def said(self, script, *options, **more):
        """What the script prints, which must end well."""
        done = self.run_inside(script, *options, **more)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        return done.stdout

    def do(self, *words):
        done = self.machine.run(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assert_untouched(self, seen=None):
        """Nothing left the machine, and nobody was asked for a name."""
        self.assertEqual(list(self.look() if seen is None else seen), [])

    def assert_reached(self, *connections, names=None):
        """These and no other connections left, in any order and any number, and these names alone were asked for."""
        seen = self.look()
        self.assertEqual(set(seen.connections()), set(connections))
        self.assertEqual(seen.others(), [])
        if names is not None:
            self.assertEqual(seen.names(), sorted(names))

    def assert_web_reached(self, port, *names):
        self.assert_reached((INTERNET, port), names=names)
