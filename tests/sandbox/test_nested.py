# SPDX-License-Identifier: Apache-2.0
"""[allow] nested: a sandbox inside the sandbox, for an ordinary user and for nobody else."""
import os
import unittest

from machine import Machine
from ordinary_user import UID, OrdinaryUser
from test_key_agents import allow

SANDBOXES = ["bwrap --ro-bind / / --unshare-pid --proc /proc --dev /dev true",
             "bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp --hostname inner true",
             "unshare --user --map-root-user --mount --pid --fork true"]
TRY_ALL = "; ".join(f"{sandbox} 2>/dev/null; echo $?" for sandbox in SANDBOXES)
# What Chromium and its like need beside namespaces: memory to share, socket pairs, sealed files.
COMMON_NEEDS = """python3 -c "
import mmap, os, socket
with open('/dev/shm/x', 'wb+') as file:
    file.truncate(256 << 20)
    with mmap.mmap(file.fileno(), 0) as memory:
        for at in range(0, 256 << 20, 1 << 20):
            memory[at] = 1
os.unlink('/dev/shm/x')
socket.socketpair()
os.memfd_create('x', os.MFD_ALLOW_SEALING)
print('common needs')
" """


class Nested(unittest.TestCase):
    def test_tool_07_a_sandbox_is_made_inside_with_the_opt_in_which_is_told(self):
        with OrdinaryUser() as machine:
            allow(machine, "nested = true")
            machine.give_away()
            done = machine.start(f"id -u; {TRY_ALL}; {COMMON_NEEDS}")
            self.assertEqual(done.stdout.split(), [str(UID), "0", "0", "0", "common", "needs"], done.stderr)
            self.assertIn("warning: nested is allowed", done.stderr)

    def test_tool_07_without_the_opt_in_none_is_made_and_the_common_needs_are_met(self):
        with OrdinaryUser() as machine:
            done = machine.start(f"id -u; {TRY_ALL}; {COMMON_NEEDS}")
            self.assertEqual(done.stdout.split(), [str(UID), "1", "1", "1", "common", "needs"], done.stderr)
            self.assertNotIn("nested", done.stderr)

    def test_what_is_hidden_and_read_only_stays_so_in_a_sandbox_inside(self):
        with OrdinaryUser() as machine:
            allow(machine, "nested = true")
            (machine.project / "secret").write_text("token-that-no-agent-may-read")
            (machine.home / "outside").write_text("one")
            machine.give_away()
            inner = ("unshare --user --map-root-user --mount sh -c 'umount ./secret; umount -l ./secret; mount -o remount,rw /usr;"
                     " touch /usr/escaped; mount --bind /proc/1/root /tmp; cat ./secret; echo end'")
            done = machine.start(inner, "--hide", "./secret")
            self.assertEqual(done.stdout, "end\n", done.stderr)
            self.assertFalse(os.path.exists("/usr/escaped"))

    def test_root_is_refused_since_it_could_lift_its_own_limits(self):
        with Machine() as machine:
            self.assertEqual(os.getuid(), 0)
            allow(machine, "nested = true")
            done = machine.start("touch ran")
            self.assertEqual(done.returncode, 3)
            self.assertIn("policy.toml:2:10: nested is not for root", done.stderr)
            self.assertFalse((machine.project / "ran").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
