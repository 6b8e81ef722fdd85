# SPDX-License-Identifier: Apache-2.0
"""Scripts that use up what a limit allows."""

# Prints how many processes it got, and the error that the next one met.
FORKS = """python3 -c '
import os, signal
made = 0
try:
    while made < 500:
        if os.fork() == 0: signal.pause()
        made += 1
except OSError as error:
    print(made, error.strerror)
'"""
