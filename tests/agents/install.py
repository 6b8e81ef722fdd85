#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the agents, in pinned versions, from npm into a cache outside the tree. The only step that needs a network."""
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

PACKAGES = ["@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.171.0"]


def prefix():
    cache = os.environ.get("AGENTCTL_CACHE") or os.path.join(os.path.expanduser("~"), ".cache/agentctl-tests")
    recipe = hashlib.sha256("\n".join(PACKAGES).encode()).hexdigest()[:12]
    return pathlib.Path(cache) / f"npm-{recipe}"


def binary(name):
    return str(prefix() / "node_modules/.bin" / name)


def install():
    place = prefix()
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place.parent / f"{place.name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.exists():
            return
        half = place.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        npm = ["npm", "install", "--prefix", str(half), "--no-audit", "--no-fund", "--no-update-notifier", *PACKAGES]
        subprocess.run(npm, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        half.rename(place)


if __name__ == "__main__":
    install()
    for agent in ("claude", "codex"):
        subprocess.run([binary(agent), "--version"], check=True, stdin=subprocess.DEVNULL)
