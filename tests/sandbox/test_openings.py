# SPDX-License-Identifier: Apache-2.0
"""[allow] wayland and devices: each opens what it names and nothing beside it, and is told."""
import os
import socket
import unittest

from machine import Machine
from test_key_agents import allow

# A /dev of the test's own around agentctl: what a machine with such devices has, all of them as readable as zero(4).
DEVICES = """#!/bin/sh
exec unshare --mount sh -ec '
mount -t tmpfs -o mode=755 tmpfs "$0"
for node in null zero full random urandom tty; do cp -a "/dev/$node" "$0"; done
mkdir "$0/pts" "$0/shm" "$0/dri" "$0/snd"
mount --bind /dev/pts "$0/pts"
ln -s pts/ptmx "$0/ptmx"
for node in dri/card0 dri/renderD128 nvidia0 kvm fuse snd/pcm; do mknod -m 666 "$0/$node" c 1 5; done
ln -s ../fuse "$0/dri/renderD129"
mount --move "$0" /dev
exec "$@"' {fresh} {agentctl} "$@"
"""
LIST_DEVICES = "cd /dev && find . | while read -r node; do test -c $node && echo $node; done | tr '\\n' ' '"
COMMON = {"./full", "./null", "./random", "./tty", "./urandom", "./zero"}
TERMINALS = {"./console", "./ptmx", "./pts/ptmx"}
CALL = "import socket,os;s=socket.socket(socket.AF_UNIX);s.connect(os.path.join(os.environ['XDG_RUNTIME_DIR']," \
       "os.environ['WAYLAND_DISPLAY']));s.send(b'paste')"


def give_devices(machine):
    fresh = machine.root / "dev"
    fresh.mkdir()
    wrapper = machine.root / "agentctl"
    wrapper.write_text(DEVICES.format(fresh=fresh, agentctl=machine.agentctl))
    wrapper.chmod(0o755)
    machine.agentctl = str(wrapper)


class Display:
    """A socket at the place of a Wayland display."""

    def __init__(self, machine):
        self.path = machine.runtime / "wayland-7"
        machine.environment["WAYLAND_DISPLAY"] = self.path.name
        machine.environment["DISPLAY"] = ":0.1"

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.listener.settimeout(30)
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.path.unlink()

    def hear(self):
        connection, _ = self.listener.accept()
        with connection:
            connection.settimeout(30)
            return connection.recv(100)


class Wayland(unittest.TestCase):
    def test_tool_16_the_display_answers_alone_in_the_runtime_directory_and_is_told(self):
        with Machine() as machine, Display(machine) as display:
            allow(machine, 'sockets = ["wayland"]')
            done = machine.start(f'python3 -c "{CALL}"; echo called $?; ls -A $XDG_RUNTIME_DIR; echo ${{DISPLAY-none}}')
            self.assertEqual(done.stdout.split(), ["called", "0", "wayland-0", "none"], done.stderr)
            self.assertEqual(display.hear(), b"paste")
            self.assertIn("warning: wayland is let in: the session can read and set the clipboard", done.stderr)

    def test_tool_16_without_the_opt_in_there_is_no_display(self):
        with Machine() as machine, Display(machine) as display:
            done = machine.start("ls -A $XDG_RUNTIME_DIR; echo ${WAYLAND_DISPLAY-none} ${DISPLAY-none}; "
                                 f"WAYLAND_DISPLAY={display.path} python3 -c \"{CALL}\"; echo called $?; ls /tmp/.X11-unix")
            self.assertEqual(done.stdout.split(), ["none", "none", "called", "1"], done.stderr)
            self.assertIn("FileNotFoundError", done.stderr)


class Devices(unittest.TestCase):
    def test_tool_14_by_default_dev_is_minimal_and_null_works(self):
        with Machine() as machine:
            give_devices(machine)
            done = machine.start(f"{LIST_DEVICES}; echo x > /dev/null && echo null works; cat /dev/kvm")
            found, null, *_ = done.stdout.splitlines()[0].rpartition("null works")
            self.assertEqual(set(found.split()) - TERMINALS, COMMON)
            self.assertEqual(null, "null works")
            self.assertIn("No such file", done.stderr)

    def test_tool_14_gpu_and_kvm_show_their_nodes_which_work_and_no_other(self):
        with Machine() as machine:
            give_devices(machine)
            allow(machine, 'devices = ["gpu", "kvm"]')
            done = machine.start(f"{LIST_DEVICES}; echo; for node in dri/renderD128 nvidia0 kvm; do head -c 3 /dev/$node | wc -c; done;"
                                 " ls /dev/dri; rm /dev/dri/card0; mknod /dev/x c 1 3; cat /dev/fuse")
            lines = done.stdout.splitlines()
            extra = set(lines[0].split()) - COMMON - TERMINALS
            self.assertEqual(extra, {"./dri/card0", "./dri/renderD128", "./nvidia0", "./kvm"}, done.stderr)
            self.assertEqual(lines[1:], ["3", "3", "3", "card0", "renderD128"], done.stderr)
            self.assertIn("warning: gpu is let in (/dev/nvidia0, /dev/dri/card0, /dev/dri/renderD128)", done.stderr)
            self.assertIn("warning: kvm is let in", done.stderr)

    def test_tool_14_a_machine_without_a_gpu_is_told_and_starts(self):
        with Machine() as machine:
            self.assertFalse(os.path.exists("/dev/dri") or os.path.exists("/dev/nvidiactl"), "this machine has a GPU")
            allow(machine, 'devices = ["gpu"]')
            done = machine.start("ls -d /dev/dri; echo ran")
            self.assertEqual((done.returncode, done.stdout), (0, "ran\n"), done.stderr)
            self.assertIn("gpu is allowed, but the session has none", done.stderr)

    def test_an_unknown_name_and_one_that_gives_the_host_away_are_refused_with_their_place(self):
        with Machine() as machine:
            allow(machine, 'sockets = ["docker"]\ndevices = ["gpus"]')
            done = machine.start("touch ran")
            self.assertEqual(done.returncode, 3)
            self.assertIn("policy.toml:2:12: error: 'docker' in 'sockets' is not offered", done.stderr)
            self.assertIn("policy.toml:3:12: error: 'gpus' in 'devices' is not known; did you mean 'gpu'?", done.stderr)
            self.assertFalse((machine.project / "ran").exists())

    def test_dry_run_names_each_opening_and_starts_nothing(self):
        with Machine() as machine:
            give_devices(machine)
            allow(machine, 'devices = ["kvm"]')
            done = machine.run("start", "--dry-run", "--", "touch", "ran")
            self.assertIn("warning      kvm is let in", done.stdout, done.stderr)
            self.assertIn("--dev-bind /dev/kvm /dev/kvm", done.stdout)
            self.assertFalse((machine.project / "ran").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
