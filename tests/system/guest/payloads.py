# SPDX-License-Identifier: Apache-2.0
"""What the agents of these tests do. Each is one process: forks and loops of its own are far cheaper in the guest than
programs. "ready" on standard output says that the agent has come to where it waits."""

# Lives until something ends it.
WAITING = ("sh", "-c", "echo ready; exec sleep infinity")


def python(code):
    return ("python3", "-S", "-c", code)


# Asked to end, it says so in the project and ends by itself. The signal waits for it: a handler's call would be lost
# between the last look at it and the system call that sleeps.
POLITE = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print('ready', flush=True)
signal.sigwait([signal.SIGTERM])
open('asked-to-end', 'w').close()
"""

# The guest is small, and so is its default memory limit.
ROOM_FOR_CROWD = ("--memory-max=500M",)

# 200 processes of four kinds: plain, in sessions of their own, daemons by a double fork, deaf to every signal that can be.
CROWD = """
import os, signal
reader, writer = os.pipe()
def stay():
    os.write(writer, b'.')
    while True:
        signal.pause()
for number in range(200):
    if os.fork() == 0:
        kind = number % 4
        if kind in (1, 2):
            os.setsid()
        if kind == 2 and os.fork() != 0:
            os._exit(0)
        if kind == 3:
            for ignored in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
                signal.signal(ignored, signal.SIG_IGN)
        stay()
    if number % 4 == 2:
        os.wait()
left = 200
while left > 0:
    left -= len(os.read(reader, left))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('ready', flush=True)
while True:
    signal.pause()
"""

# Deaf to what asks it to end.
DEAF = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('ready', flush=True)
while True:
    signal.pause()
"""

# Takes memory until it is stopped.
HOG = """
kept = []
while True:
    kept.append(b'x' * (1 << 20))
"""

HOG_IN_CHILD = f"""
import os
pid = os.fork()
if pid == 0:
    {HOG.strip().replace(chr(10), chr(10) + '    ')}
_, status = os.waitpid(pid, 0)
print('child ended by', os.WTERMSIG(status), flush=True)
"""

FORK_BOMB = """
import os, signal
made = 0
while True:
    try:
        if os.fork() == 0:
            signal.pause()
        made += 1
    except BlockingIOError:
        break
print('made', made, flush=True)
signal.pause()
"""

BUSY = """
import time
def spin(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
spin(0.5)
print('begin', flush=True)
spin(4)
print('end', flush=True)
"""
