# SPDX-License-Identifier: Apache-2.0
"""What terminals show that are attached to a session which stands still."""
import unittest

from test_attach import AttachCase


class PausedScreens(AttachCase):
    def test_who_looks_at_a_paused_session_is_told_why_nothing_moves(self):
        with self.terminals() as (machine, tmux):
            first = self.start(machine, tmux, "sh", "-c", "echo READY; exec cat")
            first.expect("READY")
            before = self.attach(machine, tmux)
            before.expect("watching s")
            self.assertEqual(machine.run("pause", "s").returncode, 0)
            before.expect("^paused: 'agentctl resume s' lets it go on")
            after = self.attach(machine, tmux, "--take-over")
            after.expect("^paused: 'agentctl resume s' lets it go on")
            self.assertEqual(machine.run("resume", "s").returncode, 0)
            before.expect("^resumed")
            after.type("and on")
            after.send("Enter")
            before.expect("^and on$")
            after.send("C-d")
            first.expect("STATUS-0")


if __name__ == "__main__":
    unittest.main()
