# SPDX-License-Identifier: Apache-2.0
"""Limits as the kernel's files show them: bytes, tasks, microseconds of CPU a second; cgroup v1, hybrid and v2."""
import pathlib

import processes

IS_UNIFIED = (processes.CGROUPS / "cgroup.procs").exists()
UNLIMITED = {"max", "-1", "9223372036854771712"}


def number(text):
    return None if text in UNLIMITED else int(text)


def limits_of(name, above=""):
    """{knob: value} of the cgroup that is called so, below one whose path has `above`; None for no limit."""
    found = {}
    for directory in map(pathlib.Path, processes.cgroups_named(name)):
        if directory.name != name or above not in str(directory.parent):
            continue
        texts = {path.name: path.read_text().strip() for path in directory.iterdir()
                 if path.name in ("memory.max", "memory.limit_in_bytes", "pids.max", "cpu.max", "cpu.cfs_quota_us",
                                  "cpu.weight", "cpu.shares")}
        for file, text in texts.items():
            if file in ("memory.max", "memory.limit_in_bytes"):
                found["memory-max"] = number(text)
            elif file == "pids.max":
                found["tasks-max"] = number(text)
            elif file == "cpu.max":
                quota, period = text.split()
                found["cpu-quota"] = None if quota == "max" else int(quota) * 1_000_000 // int(period)
            elif file == "cpu.cfs_quota_us":
                period = int((directory / "cpu.cfs_period_us").read_text())
                found["cpu-quota"] = None if text == "-1" else int(text) * 1_000_000 // period
            elif file == "cpu.weight":
                found["cpu-weight"] = int(text)
            else:
                found["cpu-weight"] = (int(text) * 100 + 1023) // 1024
    return found
