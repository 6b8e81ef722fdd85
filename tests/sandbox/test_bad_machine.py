# SPDX-License-Identifier: Apache-2.0
"""A machine that lacks something: one clear line, a hint where something can be done, 125, and nothing left."""
import os
import pathlib
import subprocess
import unittest

import processes
from machine import Machine


class BadMachine(unittest.TestCase):
    """Each lack is made in mount and user namespaces of the test's own."""

    def refuses(self, machine, spoil, pattern, hint=None, options=(), namespaces=("--mount",)):
        before = set(processes.cgroups_named("agentctl-private-"))
        argv = machine.start_argv("-q", *options, "--", "touch", "ran")
        spoiled = ["unshare", *namespaces, "sh", "-ec", f'{spoil}\nexec "$@"', "sh", *argv]
        done = subprocess.run(spoiled, env=machine.environment, cwd=machine.project, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        lines = done.stderr.splitlines()
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertRegex(lines[0], "^agentctl: .*" + pattern)
        self.assertEqual(len(lines), 1 if hint is None else 2, done.stderr)
        if hint is not None:
            self.assertRegex(lines[1], "^hint: .*" + hint)
        self.assertEqual(os.listdir(machine.project), [])
        self.assertEqual(machine.records(), [])
        processes.wait_for_all_to_end(machine.processes, 2)
        for cgroup in set(processes.cgroups_named("agentctl-private-")) - before:
            processes.wait_until_gone(cgroup, 30)  # those of others that run sessions meanwhile go, too

    def test_without_bwrap(self):
        with Machine() as machine:
            self.refuses(machine, "mount --bind /dev/null /usr/bin/bwrap", "cannot find bwrap in /usr/bin", "install bubblewrap")

    def test_with_a_bwrap_that_is_no_program(self):
        with Machine() as machine:
            replace = f"mount --bind {machine.root}/empty /usr/bin/bwrap"
            (machine.root / "empty").write_text("")
            self.refuses(machine, replace, "cannot execute bwrap: Permission denied$")
            (machine.root / "empty").chmod(0o755)
            self.refuses(machine, replace, "cannot execute bwrap: Exec format error$")

    def test_with_a_bwrap_that_others_may_change(self):
        with Machine() as machine:
            replace = f"mount --bind {machine.root}/bwrap /usr/bin/bwrap"
            (machine.root / "bwrap").write_text("#!/bin/sh\n")
            (machine.root / "bwrap").chmod(0o777)
            self.refuses(machine, replace, "refused to use '/usr/bin/bwrap'.*writable", "bubblewrap")

    def test_with_a_bwrap_that_builds_no_sandbox(self):
        with Machine() as machine:
            fake = machine.root / "bwrap"
            replace = f"mount --bind {fake} /usr/bin/bwrap"
            stage = pathlib.Path(machine.agentctl).with_name("agentctl-stage")
            fake.write_text(f'#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\nexec {stage} "$@"\n')
            fake.chmod(0o755)
            self.refuses(machine, replace, "namespace is ours")

    def test_without_user_namespaces(self):
        with Machine() as machine:
            machine.is_private = False  # no --manager beside --no-limits
            spoil = "echo 0 > /proc/sys/user/max_user_namespaces"
            self.refuses(machine, spoil, "user namespaces are disabled", "max_user_namespaces", options=("--no-limits",),
                         namespaces=("--mount", "--user", "--map-root-user"))

    def test_without_a_manager(self):
        with Machine() as machine:
            (machine.root / "nothing").mkdir(mode=0o700)
            machine.is_private = False  # no --manager private
            spoil = f"mount -t tmpfs none /run; export XDG_RUNTIME_DIR={machine.root}/nothing"
            self.refuses(machine, spoil, "cannot reach the user service manager", "XDG_RUNTIME_DIR",
                         options=("--manager", "user"))
            self.refuses(machine, spoil, "cannot reach the system service manager", options=("--manager", "system"))

    def test_without_writable_cgroups(self):
        with Machine() as machine:
            machine.is_private = False
            trees = "$(ls -d /sys/fs/cgroup /sys/fs/cgroup/*/)"
            spoil = f"for tree in {trees}; do mount -o remount,ro,bind $tree 2>/dev/null || :; done"
            self.refuses(machine, spoil, "cannot make the cgroup|Read-only", "cgroup", options=("--manager", "private"))

    def test_ctl_05_with_a_runtime_directory_that_is_full_or_read_only(self):
        with Machine() as machine:
            tmpfs = f"mount -t tmpfs -o mode=700,{{}} none {machine.root}/full; export XDG_RUNTIME_DIR={machine.root}/full"
            (machine.root / "full").mkdir(mode=0o700)
            fill = f"; dd if=/dev/zero of={machine.root}/full/fill bs=4096 2>/dev/null || :"
            machine.is_private = False
            for spoil, why in ((tmpfs.format("size=4k") + fill, "No space left"), (tmpfs.format("nr_inodes=2"), "No space left"),
                               (tmpfs.format("ro"), "Read-only file system")):
                self.refuses(machine, spoil, f"'{machine.root}/full/agentctl'.*{why}", options=("--manager", "private"))

    def test_with_a_runtime_directory_of_ours_that_others_may_write(self):
        with Machine() as machine:
            machine.environment["XDG_RUNTIME_DIR"] = str(machine.root / "shared")
            (machine.root / "shared/agentctl").mkdir(parents=True, mode=0o700)
            (machine.root / "shared").chmod(0o700)
            (machine.root / "shared/agentctl").chmod(0o777)
            self.refuses(machine, ":", "others may write it", "chmod 700")

    def test_ctl_05_with_a_state_directory_that_is_read_only(self):
        with Machine() as machine:
            (machine.home / ".local/state").mkdir(parents=True)
            spoil = f"mount -t tmpfs -o ro none {machine.home}/.local/state"
            self.refuses(machine, spoil, "cannot keep receipts: .*Read-only file system")

    def test_ctl_05_with_a_state_directory_that_is_full(self):
        with Machine() as machine:
            state = machine.home / ".local/state"
            state.mkdir(parents=True)
            spoil = (f"mount -t tmpfs -o mode=700,size=64k none {state}; mkdir -p {state}/agentctl/receipts; "
                     f"dd if=/dev/zero of={state}/fill bs=4096 2>/dev/null || :")
            self.refuses(machine, spoil, f"cannot keep receipts in '{state}/agentctl/receipts': .*No space left")


if __name__ == "__main__":
    unittest.main(verbosity=2)
