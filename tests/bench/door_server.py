# SPDX-License-Identifier: Apache-2.0
"""door_server.py ADDRESS: a gigabyte to whoever comes to port 9000, two bytes on port 9001; as little work as there can be."""
import json
import os
import selectors
import socket
import sys

SIZE = 1 << 30
STREAM, SHORT = 9000, 9001


def main(address):
    memory = os.memfd_create("gigabyte")
    os.ftruncate(memory, SIZE)
    block = os.urandom(1 << 20)
    for _ in range(SIZE // len(block)):
        os.write(memory, block)
    selector = selectors.DefaultSelector()
    for port in (STREAM, SHORT):
        selector.register(socket.create_server((address, port), backlog=1024), selectors.EVENT_READ, port)
    print(json.dumps({"kind": "ready"}), flush=True)
    while True:
        for key, _ in selector.select():
            peer, _ = key.fileobj.accept()
            with peer:
                try:
                    if key.data == SHORT:
                        peer.sendall(b"ok")
                        continue
                    offset = 0
                    while offset < SIZE:
                        offset += os.sendfile(peer.fileno(), memory, offset, SIZE - offset)
                except OSError:
                    pass


if __name__ == "__main__":
    main(sys.argv[1])
