# SPDX-License-Identifier: Apache-2.0
"""-H: whatever login shell the other machine has, the words reach agentctl there as they are."""
import unittest

from machine import Machine

SHELLS = ("dash", "bash", "zsh", "fish", "tcsh")
# sshd gives the one text that it is sent to the login shell like this.
SSH = """#!/bin/sh
for word in "$@"; do line=$word; done
exec {shell} -c "$line"
"""
TELLS = """#!/usr/bin/python3
import os, sys
sys.stdout.buffer.write(b"\\0".join([str(os.getppid()).encode(), *map(os.fsencode, sys.argv[1:])]))
sys.exit(42)
"""


class Shells(unittest.TestCase):
    def program(self, machine, name, text):
        path = machine.root / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        machine.environment["PATH"] = f"{path.parent}:/usr/bin:/bin"
        return path

    def test_every_byte_passes_every_shell(self):
        words = [bytes(range(1, 256)), b"", b"-x", b"--", b"it's", b"\n\n", b"a\\b\\\\'c", b"!x", b"%s %d", b"trailing\n"]
        with Machine() as machine:
            self.program(machine, "agentctl", TELLS)
            for shell in SHELLS:
                with self.subTest(shell=shell):
                    self.program(machine, "ssh", SSH.format(shell=shell))
                    done = machine.run("-H", "there", "start", "--", *words, text=False)
                    self.assertEqual(done.stderr, b"")
                    self.assertEqual(done.stdout.split(b"\0")[1:], [b"start", b"--", *words])
                    self.assertEqual(done.returncode, 42)

    def test_no_shell_stays_between_sshd_and_agentctl(self):
        with Machine() as machine:
            self.program(machine, "agentctl", TELLS)
            for shell in SHELLS:
                with self.subTest(shell=shell):
                    self.program(machine, "ssh", SSH.format(shell=shell))
                    process = machine.popen("-H", "there", "status", text=False)
                    output, _ = process.communicate(timeout=20)
                    self.assertEqual(int(output.split(b"\0")[0]), process.pid)

    def test_a_missing_agentctl_is_told_by_every_shell(self):
        with Machine() as machine:
            for shell in SHELLS:
                with self.subTest(shell=shell):
                    self.program(machine, "ssh", SSH.format(shell=shell))
                    done = machine.run("-H", "there", "status")
                    self.assertEqual(done.returncode, 1)
                    self.assertTrue(done.stderr.startswith("agentctl: agentctl not found on 'there'\nhint: install it there"), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
