# SPDX-License-Identifier: Apache-2.0
"""Another machine's root around the same kernel: everything of this one by bind, but /etc, /mnt and parts of /run of its own.

`with ScratchRoot(machine) as root:` change root / "etc/…" at will, then root.start(…). The caller has entered a mount
namespace of its own (remote_mounts.own_mounts); nothing of this is seen outside of it, and nothing stays.
"""
import os
import shutil

from remote_mounts import CLONE_NEWNS, LIBC, MNT_DETACH, MS_REC, call, mount

MS_BIND, MS_UNBINDABLE = 0x1000, 0x20000
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}[os.uname().machine]
OWN = ("mnt", "nix", "gnu")
OWN_IN_RUN = ("NetworkManager", "resolvconf", "current-system", "wrappers", "systemd")


class ScratchRoot:
    def __init__(self, machine, without=()):
        self.machine = machine
        self.path = machine.root / "root"
        self.path.mkdir()
        mount("scratch", self.path, "tmpfs", 0, "mode=0755")
        mount("none", self.path, None, MS_UNBINDABLE)  # /var, which it lies in, is bound into it
        for name in os.listdir("/"):
            if name not in (*OWN, *without, "etc", "run"):
                self.show(name)
        shutil.copytree("/etc", self.path / "etc", symlinks=True, ignore=shutil.ignore_patterns("resolv.conf", "localtime"))
        (self.path / "run").mkdir()
        for name in os.listdir("/run"):
            if name not in OWN_IN_RUN:
                self.show(f"run/{name}")
        for name in OWN:
            (self.path / name).mkdir()

    def show(self, name, source=None):
        source, place = source or f"/{name}", self.path / name
        if os.path.islink(source):
            return place.symlink_to(os.readlink(source))
        if os.path.isdir(source):
            place.mkdir()
        elif os.path.isfile(source):
            place.touch()
        else:
            return None  # a socket
        return mount(source, place, None, MS_BIND | MS_REC)

    def __truediv__(self, name):
        return self.path / name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        call(LIBC.umount2, os.fsencode(self.path), MNT_DETACH)

    def write(self, name, text, mode=0o644):
        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)

    def link(self, name, target):
        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)

    def enter(self):
        """In the process that becomes agentctl: namespaces of users cannot be made after a chroot(2)."""
        call(LIBC.unshare, CLONE_NEWNS)
        os.chdir(self.path)
        call(LIBC.syscall, PIVOT_ROOT, b".", b".")
        call(LIBC.umount2, b".", MNT_DETACH)
        os.chdir(self.machine.project)

    def start(self, script, *options, **popen_options):
        return self.machine.start(script, *options, cwd=None, preexec_fn=self.enter, **popen_options)

    def run(self, *arguments, **popen_options):
        return self.machine.run(*arguments, cwd=None, preexec_fn=self.enter, **popen_options)
