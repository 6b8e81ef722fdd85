# SPDX-License-Identifier: Apache-2.0
"""Whether this kernel can close abstract sockets by Landlock: landlock(7), ABI 6."""
import ctypes

SYS_LANDLOCK_CREATE_RULESET = 444  # the same on every architecture
CREATE_RULESET_VERSION = 1


def has_scopes():
    return ctypes.CDLL(None).syscall(SYS_LANDLOCK_CREATE_RULESET, None, 0, CREATE_RULESET_VERSION) >= 6
