# SPDX-License-Identifier: Apache-2.0
"""A machine whose sessions are those of a user without any privilege, started by root, without a scope (--no-limits)."""
import os
import pathlib
import shutil

from machine import Machine

UID = 12345


class OrdinaryUser(Machine):
    def __init__(self):
        super().__init__()
        programs = self.root / "bin"  # where the user may execute it, wherever it was built
        programs.mkdir()
        for name in ("agentctl", "agentctl-stage", "agentctl-probe"):
            shutil.copy(pathlib.Path(self.agentctl).with_name(name), programs / name)
        self.agentctl = str(programs / "agentctl")
        self.runtime = self.root / "run"
        self.runtime.mkdir(mode=0o700, exist_ok=True)
        self.environment["XDG_RUNTIME_DIR"] = str(self.runtime)
        self.give_away()

    def give_away(self):
        """What was written so far becomes the user's."""
        for path in [self.root, *self.root.rglob("*")]:
            os.chown(path, UID, UID)

    def start_argv(self, *arguments):
        return [self.agentctl, "start", "--no-limits", *arguments]

    def popen(self, *arguments, **options):
        return super().popen(*arguments, user=UID, group=UID, extra_groups=[], **options)
