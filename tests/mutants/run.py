#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that the tests notice when a wall is taken out: each record of mutants.toml changes one place of a copy of the
tree; the copy is built and the named tests are run; if none of them turns red, the mutant survived and this fails.

  run.py [NAME…]        all mutants, or those named
"""
import os
import re
import sys
import tempfile
import tomllib

from mutant_bench import HERE, Bench, Failure, edits_of, run


class Mutant:
    def __init__(self, record):
        self.name = record["name"]
        self.tests = record["tests"]  # a regular expression over the names of tests, as ctest -R takes it
        self.edits = edits_of(record)


def load_records():
    """What to build, and the mutants."""
    records = tomllib.loads((HERE / "mutants.toml").read_text())
    return records["targets"], [Mutant(record) for record in records["mutant"]]


def failed_tests(bench, pattern):
    """Names of the tests that turned red. None to run is a fault of the record."""
    done = run(["ctest", "--test-dir", bench.build_dir, "--no-tests=error", "--timeout", "120", "-LE", "^(mutants|system|agents)$",
                "-R", pattern], env=dict(os.environ, AGENTCTL_TESTS_REQUIRED="1"))
    if "No tests were found" in done.stdout:
        raise Failure(f"no test is called '{pattern}'")
    failed = re.findall(r"^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|ILLEGAL|.*Exception.*)\)", done.stdout, re.M)
    if done.returncode != 0 and not failed:
        raise Failure(f"ctest failed without a failed test:\n{done.stdout[-2000:]}")
    return failed


def try_mutant(bench, mutant):
    originals = bench.change(mutant.name, mutant.edits)
    try:
        bench.build()
        return failed_tests(bench, mutant.tests)
    finally:
        bench.write(originals)


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
            if red := failed_tests(bench, pattern):
                raise Failure(f"red before any change: {', '.join(red)}")
        for mutant in chosen:
            red = try_mutant(bench, mutant)
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
