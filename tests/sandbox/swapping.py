# SPDX-License-Identifier: Apache-2.0
"""Processes that swap or remake paths on the host for as long as they live."""
import ctypes
import math
import multiprocessing
import os
import random
import time

AT_FDCWD = -100
RENAME_EXCHANGE = 2
SHORTEST_STAY, LONGEST_STAY = 1e-6, 50e-3  # seconds: from between two system calls to longer than a start


def stay():
    """At every pace alike: however fast the machine, some starts see one exchange, some see many, and some see none."""
    until = time.monotonic() + math.exp(random.uniform(math.log(SHORTEST_STAY), math.log(LONGEST_STAY)))
    while time.monotonic() < until:
        pass


def swap_for_ever(one, other, ready):
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    names = (os.fsencode(one), os.fsencode(other))
    if renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) != 0:
        return
    ready.set()
    while True:
        stay()
        renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE)


def remake_for_ever(path, target, ready):
    """A directory, then a link in its place, then the directory again: nothing of it is ever the same."""
    while True:
        os.mkdir(path)
        os.mkdir(path / "mine")
        ready.set()
        os.rmdir(path / "mine")
        try:
            os.rmdir(path)
        except OSError:  # a session has written there
            for name in os.listdir(path):
                os.unlink(path / name)
            os.rmdir(path)
        os.symlink(target, path)
        os.unlink(path)


class Swapping:
    def __init__(self, work, *arguments):
        ready = multiprocessing.Event()
        self.process = multiprocessing.Process(target=work, args=(*arguments, ready), daemon=True)
        self.process.start()
        if not ready.wait(10):
            self.process.kill()
            raise AssertionError("nothing is swapped")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.join()
