#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that the tests notice when a wall is taken out: each record of mutants.toml changes one place of a copy of the
tree; the copy is built and the named tests are run; if none of them turns red, the mutant survived and this fails.

  run.py [NAME…]        all mutants, or those named
"""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
BUILD_OPTIONS = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DAGENTCTL_WERROR=OFF"]  # a mutant leaves unused things behind


class Failure(Exception):
    pass


@dataclasses.dataclass
class Edit:
    file: str
    find: str
    replace: str = ""


class Mutant:
    def __init__(self, record):
        self.name = record["name"]
        self.tests = record["tests"]  # a regular expression over the names of tests, as ctest -R takes it
        self.edits = [Edit(**edit) for edit in record["edit"]]

    def texts(self, tree):
        """The changed files; every text that is looked for must be there exactly once."""
        changed = {}
        for edit in self.edits:
            path = tree / edit.file
            text = changed.get(path) or path.read_text()
            if text.count(edit.find) != 1:
                raise Failure(f"{self.name}: found {text.count(edit.find)} times in {edit.file}, must be once: {edit.find!r}")
            changed[path] = text.replace(edit.find, edit.replace)
        return changed


def load_records():
    """What to build, and the mutants."""
    records = tomllib.loads((HERE / "mutants.toml").read_text())
    return records["targets"], [Mutant(record) for record in records["mutant"]]


def run(argv, **options):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          **options)


def copy_tree(destination):
    ignored = shutil.ignore_patterns("build", ".git", ".cache", "__pycache__")
    shutil.copytree(SOURCE, destination, symlinks=True, ignore=ignored)


class Bench:
    """A copy of the tree with a build of its own."""

    def __init__(self, place, targets):
        self.targets = targets
        self.tree = pathlib.Path(place) / "tree"
        self.build_dir = pathlib.Path(place) / "build"
        copy_tree(self.tree)
        self.must(["cmake", "-S", self.tree, "-B", self.build_dir, *BUILD_OPTIONS])

    @staticmethod
    def must(argv):
        done = run(argv)
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, argv[:3]))} failed:\n{done.stdout[-4000:]}")

    def build(self):
        self.must(["cmake", "--build", self.build_dir, "--target", *self.targets])

    def failed_tests(self, pattern):
        """Names of the tests that turned red. None to run is a fault of the record."""
        done = run(["ctest", "--test-dir", self.build_dir, "--no-tests=error", "--timeout", "120", "-LE", "^(mutants|system|agents)$",
                    "-R", pattern], env=dict(os.environ, AGENTCTL_TESTS_REQUIRED="1"))
        if "No tests were found" in done.stdout:
            raise Failure(f"no test is called '{pattern}'")
        failed = re.findall(r"^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|ILLEGAL|.*Exception.*)\)", done.stdout, re.M)
        if done.returncode != 0 and not failed:
            raise Failure(f"ctest failed without a failed test:\n{done.stdout[-2000:]}")
        return failed

    def try_mutant(self, mutant):
        originals = {}
        try:
            for path, text in mutant.texts(self.tree).items():
                originals[path] = path.read_text()
                path.write_text(text)
            self.build()
            return self.failed_tests(mutant.tests)
        finally:
            for path, text in originals.items():
                path.write_text(text)


def main(names):
    targets, mutants = load_records()
    unknown = set(names) - {mutant.name for mutant in mutants}
    if unknown:
        raise Failure(f"no mutant is called {', '.join(sorted(unknown))}")
    chosen = [mutant for mutant in mutants if not names or mutant.name in names]
    survivors = []
    with tempfile.TemporaryDirectory(prefix="agentctl-mutants-", dir="/var/tmp") as place:
        bench = Bench(place, targets)
        bench.build()
        for pattern in sorted({mutant.tests for mutant in chosen}):
            if red := bench.failed_tests(pattern):
                raise Failure(f"red before any change: {', '.join(red)}")
        for mutant in chosen:
            red = bench.try_mutant(mutant)
            print(f"{'killed' if red else 'SURVIVED'}: {mutant.name}{': ' if red else ''}{', '.join(red)}", flush=True)
            if not red:
                survivors.append(mutant.name)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants were noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        print(f"mutants: {failure}", file=sys.stderr)
        sys.exit(1)
