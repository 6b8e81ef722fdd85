# SPDX-License-Identifier: Apache-2.0
"""Many masks in directories of the project: mounted beforehand, and the same inside as those that are mounted one by one."""
import os
import pathlib
import re
import subprocess
import unittest

from machine import Machine
from mounts import mounts_of

SECRET = "canary-93bd"
COUNT = 40


def make_secrets(machine, directories=4):
    paths = [machine.project / f"d{number % directories}/deep/secret{number}" for number in range(COUNT)]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
    return [word for path in paths for word in ("--hide", str(path))]


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:  # it has ended
        return ""


class MaskTrees(unittest.TestCase):
    def test_each_of_many_secrets_is_empty_inside_and_whole_on_the_host(self):
        with Machine() as machine:
            options = make_secrets(machine)
            (machine.project / "d0/deep/keys").mkdir()
            (machine.project / "d0/deep/keys/id").write_text(SECRET)
            done = machine.start("cat d*/deep/secret* | wc -c; ls d*/deep/secret* | wc -l; ls -A d0/deep/keys | wc -l; "
                                 "echo new > d1/deep/new && cat d1/deep/new; echo x > d1/deep/secret1; rm d1/deep/secret1",
                                 *options, "--hide", str(machine.project / "d0/deep/keys"))
            self.assertEqual(done.stdout, f"0\n{COUNT}\n0\nnew\n")
            self.assertIn("Read-only file system", done.stderr)
            self.assertEqual((machine.project / "d1/deep/new").read_text(), "new\n")
            self.assertEqual((machine.project / "d1/deep/secret1").read_text(), SECRET)

    def test_no_directory_with_many_secrets_can_be_moved_away(self):
        with Machine() as machine:
            done = machine.start("mv d0 x; mv d0/deep d0/x; rm -rf d0/deep; true", *make_secrets(machine))
            self.assertEqual(done.stderr.count("Device or resource busy"), 2 + COUNT // 4, done.stderr)
            self.assertTrue((machine.project / "d0/deep/secret0").exists())

    def test_mounted_together_they_are_what_they_are_when_mounted_one_by_one(self):
        """Seen from outside; a directory's other flags too."""
        with Machine() as machine:
            options = make_secrets(machine)
            with machine.session("true", *options) as session:
                table = mounts_of(session.leader)
            project = str(machine.project)
            source = table["/run/agentctl/.empty"]
            masks = {path: mount for path, mount in table.items() if re.search(r"/deep/secret\d+$", path)}
            self.assertEqual(len(masks), COUNT)
            for mount in masks.values():
                self.assertEqual((mount.device, mount.root), (source.device, "/file"))
                self.assertIn("ro", mount.options)
            for place in ("d0", "d0/deep", "d3/deep"):
                pin = table[f"{project}/{place}"]
                self.assertEqual((pin.device, pin.options), (table[project].device, table[project].options))

    def test_more_directories_than_one_message_carries_are_masked_too(self):
        with Machine() as machine:
            for number in range(270):
                (machine.project / f"d{number}").mkdir()
                (machine.project / f"d{number}/key").write_text(SECRET)
            done = machine.start("cat d*/key | wc -c; ls d*/key | wc -l", "--hide", "./d*/key")
            self.assertEqual(done.stdout, "0\n270\n", done.stderr)

    def test_a_secret_that_is_saved_again_while_the_sandbox_comes_up_stays_hidden(self):
        """By rename, between the making of the masks and their use: strace holds the helper at the sandbox's door."""
        with Machine() as machine:
            options = make_secrets(machine)
            secret = machine.project / "d2/deep/secret2"
            strace = ["strace", "-f", "-qq", "-o", "/dev/null", "--inject=setns:delay_enter=300000:when=1"]
            argv = machine.start_argv(*options, "--", "cat", str(secret))
            with subprocess.Popen([*strace, *argv], cwd=machine.project, env=machine.environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as start:
                while start.poll() is None:
                    (secret.parent / "draft").write_text(SECRET)
                    os.replace(secret.parent / "draft", secret)
                    if "stage" in map(name_of, machine.processes()):
                        break
                stdout, stderr = start.communicate(timeout=60)
            self.assertNotIn(SECRET, stdout)
            self.assertEqual((start.returncode, stdout), (0, ""), stderr)


if __name__ == "__main__":
    unittest.main()
