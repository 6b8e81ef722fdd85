# SPDX-License-Identifier: Apache-2.0
"""The device nodes in /dev are the host's: a session of root's uses them and cannot change them."""
import os
import unittest

from machine import Machine
from mounts import mounts_of

NODES = ("null", "zero", "full", "random", "urandom", "tty")


def look_at(node):
    status = os.stat(f"/dev/{node}")
    return status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns


class Devices(unittest.TestCase):
    def test_no_node_can_be_changed_from_inside(self):
        before = [look_at(node) for node in NODES]
        with Machine() as machine:
            # To the mode, owner and time that they have: what gets through does no harm.
            script = "for node in %s; do chmod $(stat -c %%a /dev/$node) /dev/$node; chown 0:0 /dev/$node; touch -h -r /dev/$node " \
                     "/dev/$node; done" % " ".join(NODES)
            done = machine.start(script)
            refused = done.stderr.count("Read-only file system")
            self.assertEqual(refused, 3 * len(NODES), done.stderr)
        self.assertEqual([look_at(node) for node in NODES], before)

    def test_every_node_works_as_before(self):
        with Machine() as machine:
            script = "echo x > /dev/null; echo x >> /dev/null; head -c 3 /dev/zero | od -An -tx1; head -c 5 /dev/urandom | wc -c; " \
                     "echo x > /dev/full || echo full; (: > /dev/tty) || echo no terminal"
            done = machine.start(script)
            self.assertEqual(done.stdout.split("\n"), [" 00 00 00", "5", "full", "no terminal", ""], done.stderr)
            self.assertNotIn("Read-only", done.stderr)

    def test_they_are_read_only_mounts_before_the_agent_runs(self):
        with Machine() as machine, machine.session("true") as session:
            mounts = mounts_of(session.leader)
            for node in NODES:
                self.assertIn("ro", mounts[f"/dev/{node}"].options, node)

    def test_the_printed_command_does_not_ask_bwrap_for_it_which_would_forbid_their_use(self):
        with Machine() as machine:
            done = machine.run("start", "--dry-run", "--", "true")
            self.assertNotIn("--remount-ro /dev/", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
