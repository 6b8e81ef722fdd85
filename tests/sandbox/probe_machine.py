# SPDX-License-Identifier: Apache-2.0
"""A machine on which probe runs, and what of a probe's stands where all share."""
import json
import pathlib
import shutil

from machine import Machine


class ProbeMachine(Machine):
    """With programs where a sandbox that hides /tmp shows them, wherever they were built."""

    def __init__(self):
        super().__init__()
        programs = self.root / "bin"
        programs.mkdir()
        for name in ("agentctl", "agentctl-stage", "agentctl-probe"):
            shutil.copy(pathlib.Path(self.agentctl).with_name(name), programs / name)
        self.agentctl = str(programs / "agentctl")

    def probe_argv(self, *arguments):
        manager = ["--manager", "private"] if self.is_private and not arguments[:1] == ("--against",) else []
        return ["probe", "--json", *manager, *arguments]

    def probe(self, *arguments, **options):
        done = self.run(*self.probe_argv(*arguments), seconds=120, **options)
        return done, json.loads(done.stdout) if done.stdout else None


def by_verdict(result):
    found = {}
    for item in result["items"]:
        found.setdefault(item["verdict"], {})[item["id"]] = item["detail"]
    return found


def planted_names():
    """Everything of a probe's that stands in a place which all share."""
    names = [path.name for place in ("/tmp", "/var/tmp", "/dev/shm") for path in pathlib.Path(place).glob("*agentctl-probe-*")]
    objects = [line.split()[0] for table in ("shm", "msg") for line in
               pathlib.Path("/proc/sysvipc", table).read_text().splitlines()[1:]]
    return sorted(names), sorted(objects)
