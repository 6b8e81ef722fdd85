# SPDX-License-Identifier: Apache-2.0
"""Which process is a session's door: the one that holds what listens on the door's port inside."""
import os
import pathlib

import processes

LISTENING, PORT = "0A", "0C38"  # proc(5), /proc/net/tcp; 3128


def listeners(pid, port=PORT):
    """The inodes of what listens on the port in the network of process `pid`."""
    found = []
    for table in ("tcp", "tcp6"):
        for line in processes.read(pid, f"net/{table}").splitlines()[1:]:
            words = line.split()
            if words[3] == LISTENING and words[1].endswith(f":{port}"):
                found.append(int(words[9]))
    return found


def descriptors(pid):
    """What each of its descriptors is."""
    found = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            pass
    return found


def below(pid):
    return [other for child in processes.children(pid) for other in (child, *below(child))]


def find(session):
    """Its pid; `session` is what status says of a running one."""
    pids = session["pids"]
    sockets = {f"socket:[{inode}]" for inode in listeners(pids["leader"])}
    holders = [pid for pid in below(pids["supervisor"]) if sockets & set(descriptors(pid).values())]
    if len(holders) != 1:
        raise AssertionError(f"{len(holders)} processes hold what listens on the door's port {sockets}: "
                             f"{[processes.arguments(pid) for pid in holders]}")
    return holders[0]


def files_open_for_writing(pid):
    """Paths of regular files."""
    found = []
    for descriptor, target in descriptors(pid).items():
        flags = int(pathlib.Path(f"/proc/{pid}/fdinfo/{descriptor}").read_text().split("flags:")[1].split()[0], 8)
        if flags & os.O_ACCMODE != os.O_RDONLY and target.startswith("/") and os.path.isfile(f"/proc/{pid}/fd/{descriptor}"):
            found.append(target)
    return found
