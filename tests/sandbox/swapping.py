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
ONE_PACE = 50e-3


def exchange(one, other):
    """Gives what changes their places, or None where that fails."""
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    names = (os.fsencode(one), os.fsencode(other))

    def change():
        return renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE)

    return change if change() == 0 else None


def swap_without_rest(one, other, ready):
    change = exchange(one, other)
    if change:
        ready.set()
        while True:
            change()


def swap_for_ever(one, other, ready):
    """At every pace alike, one after the other: however fast the machine, some starts see many exchanges, some one, and some none."""
    change = exchange(one, other)
    if not change:
        return
    ready.set()
    while True:
        stay = math.exp(random.uniform(math.log(SHORTEST_STAY), math.log(LONGEST_STAY)))
        next_pace = time.monotonic() + ONE_PACE
        while time.monotonic() < next_pace:
            change()
            until = time.monotonic() + stay
            while time.monotonic() < until:
                pass


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
