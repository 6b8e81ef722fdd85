# SPDX-License-Identifier: Apache-2.0
"""Everything below a directory, to be compared before and after."""
import os


def listing(directory, leave_out=()):
    """Relative names of all that is there; `leave_out`: names directly in it whose trees do not count."""
    left_out = {leave_out} if isinstance(leave_out, str) else set(leave_out)
    names = set()
    for at, directories, files in os.walk(directory):
        if at == str(directory):
            directories[:] = [name for name in directories if name not in left_out]
        names.update(os.path.relpath(os.path.join(at, name), directory) for name in (*directories, *files))
    return names
