# SPDX-License-Identifier: Apache-2.0
"""Processes that swap or remake paths on the host without pause."""
import ctypes
import multiprocessing
import os

AT_FDCWD = -100
RENAME_EXCHANGE = 2


def swap_for_ever(one, other, ready):
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    names = (os.fsencode(one), os.fsencode(other))
    if renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) != 0:
        return
    ready.set()
    while True:
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
