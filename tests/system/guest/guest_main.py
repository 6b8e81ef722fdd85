# SPDX-License-Identifier: Apache-2.0
"""The guest's side of run_guest: puts the programs in their places, runs the requested modules and writes TAP for the host."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import traceback
import unittest

import machine

SHARE = pathlib.Path("/mnt/share")
RESULTS = SHARE / "results"
TEST_SECONDS = 150


class OutOfTime(BaseException):
    """Not an Exception: nothing in a test may take it for an ordinary failure and go on."""


class TapResult(unittest.TestResult):
    def __init__(self, stream):
        super().__init__()
        self.stream = stream
        self.count = 0

    def write(self, verdict, test, details=""):
        self.count += 1
        self.stream.write(f"{verdict} {self.count} - {test.shortDescription() or test.id()}\n")
        for line in details.splitlines():
            self.stream.write(f"# {line}\n")
        self.stream.flush()

    def startTest(self, test):
        super().startTest(test)
        signal.alarm(TEST_SECONDS)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def addSuccess(self, test):
        self.write("ok", test)

    def addError(self, test, err):
        kind, error, where = err
        frames = [frame for frame in traceback.extract_tb(where) if "/unittest/" not in frame.filename]
        self.write("not ok", test, "".join([*traceback.format_list(frames), *traceback.format_exception_only(kind, error)]))

    addFailure = addError

    def addSkip(self, test, reason):
        self.write("not ok", test, f"skipped: {reason}")


def place_of(name):
    if name.startswith("org."):
        return "/usr/share/dbus-1/services"
    return "/etc/systemd/user" if name.endswith((".slice", ".service")) else "/usr/local/bin"


def install_programs():
    for program in (SHARE / "programs").iterdir():
        shutil.copy(program, place_of(program.name))
    for name in os.listdir("/usr/local/bin"):
        os.chmod(f"/usr/local/bin/{name}", 0o755)


def out_of_time(_number, _frame):
    raise OutOfTime(f"not done after {TEST_SECONDS} s")


def main():
    signal.signal(signal.SIGALRM, out_of_time)
    with open(RESULTS / "tap", "w", encoding="utf-8", errors="backslashreplace") as stream:
        result = TapResult(stream)
        install_programs()
        machine.wait_for_user_manager()
        names = (SHARE / "modules").read_text().split()
        try:
            unittest.defaultTestLoader.loadTestsFromNames(names).run(result)
            stream.write(f"1..{result.count}\n")
        except BaseException:
            stream.write("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()))
    with open(RESULTS / "journal", "wb") as journal:
        subprocess.run(["journalctl", "--boot", "--no-pager", "--output=short-monotonic"], stdout=journal, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
