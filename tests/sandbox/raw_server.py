# SPDX-License-Identifier: Apache-2.0
"""raw_server.py: servers on the internet that are no web servers.

    93.184.216.34:7000     speaks first ("ready"), then sends back what comes
    93.184.216.35:80       an origin that answers the first request and goes on reading: every byte is kept
    93.184.216.35:443      asks each TLS client for a second hello (HelloRetryRequest, RFC 8446, 4.1.4)

Each piece that comes to the latter two is said as a line of JSON.
"""
import json
import selectors
import socket
import struct

from net_lab_names import INTERNET, RECORDER

ECHO_PORT = 7000
RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nrecorded\n"


def retry_request():
    """A server's message that asks for another hello with a share for secp256r1."""
    extensions = struct.pack("!HHH", 43, 2, 0x0304) + struct.pack("!HHH", 51, 2, 23)
    body = b"\x03\x03" + RETRY + b"\0" + b"\x13\x01" + b"\0" + struct.pack("!H", len(extensions)) + extensions
    message = b"\x02" + struct.pack("!I", len(body))[1:] + body
    return b"\x16\x03\x03" + struct.pack("!H", len(message)) + message


class Echo:
    def __init__(self, peer):
        peer.sendall(b"ready\n")

    def take(self, peer, piece):
        peer.sendall(piece)

    def end(self):
        pass


class Recorder:
    count = 0

    def __init__(self, peer):
        Recorder.count += 1
        self.number, self.port, self.seen, self.has_answered = Recorder.count, peer.getsockname()[1], b"", False

    def take(self, peer, piece):
        self.seen += piece
        print(json.dumps({"kind": "piece", "connection": self.number, "port": self.port, "text": piece.decode("latin-1")}), flush=True)
        if self.has_answered or (self.port == 80 and b"\r\n\r\n" not in self.seen):
            return
        self.has_answered = True
        peer.sendall(retry_request() if self.port == 443 else ANSWER)
        if self.port == 80:
            peer.shutdown(socket.SHUT_WR)

    def end(self):
        print(json.dumps({"kind": "end", "connection": self.number, "port": self.port}), flush=True)


def main():
    selector = selectors.DefaultSelector()
    for address, port, kind in ((INTERNET, ECHO_PORT, Echo), (RECORDER, 80, Recorder), (RECORDER, 443, Recorder)):
        selector.register(socket.create_server((address, port), backlog=512), selectors.EVENT_READ, kind)
    print(json.dumps({"kind": "ready"}), flush=True)
    while True:
        for key, _ in selector.select():
            try:
                if isinstance(key.data, type):
                    peer, _ = key.fileobj.accept()
                    peer.settimeout(20)
                    selector.register(peer, selectors.EVENT_READ, key.data(peer))
                elif piece := key.fileobj.recv(65536):
                    key.data.take(key.fileobj, piece)
                else:
                    raise EOFError
            except (OSError, EOFError):
                if not isinstance(key.data, type):
                    key.data.end()
                    selector.unregister(key.fileobj)
                    key.fileobj.close()


if __name__ == "__main__":
    main()
