# SPDX-License-Identifier: Apache-2.0
"""What tests of published ports share: a machine, a port that is free on it, and who reaches it from outside."""
import socket
import unittest
import urllib.request

from machine import Machine
from ports import free_port


def fetch(host, port, path="/"):
    with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=10) as answer:
        return answer.read().decode()


class PublishCase(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.port = free_port()

    def do(self, *words):
        done = self.machine.run(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assert_closed(self, port):
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 10).close()
