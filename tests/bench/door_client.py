# SPDX-License-Identifier: Apache-2.0
"""door_client.py stream|connections ADDRESS PORT PROXY_PORT [COUNT PARALLEL]: through the proxy on this loopback (CONNECT), or directly
where its port is 0. Prints MB/s of one stream, or new connections per second, each of which must bring the two bytes."""
import selectors
import socket
import sys
import time

OK = b"HTTP/1.1 200", b"HTTP/1.0 200"


def head(address, port):
    return f"CONNECT {address}:{port} HTTP/1.1\r\nHost: {address}:{port}\r\n\r\n".encode()


def stream(address, port, proxy_port):
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", proxy_port) if proxy_port else (address, port)) as peer:
        got = 0
        if proxy_port:
            peer.sendall(head(address, port))
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += peer.recv(4096)
            if not answer.startswith(OK):
                sys.exit(f"refused: {answer!r}")
            got = len(answer.partition(b"\r\n\r\n")[2])
        buffer = bytearray(1 << 18)
        while size := peer.recv_into(buffer):
            got += size
    if got != 1 << 30:
        sys.exit(f"{got} bytes came")
    return got / 1e6 / (time.perf_counter() - began)


class One:
    """One connection, from its beginning to its end."""

    def __init__(self, address, port, proxy_port):
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", proxy_port) if proxy_port else (address, port))
        self.words = head(address, port) if proxy_port else b""
        self.got = b""

    def go_on(self, selector):
        """Whether it has ended."""
        if self.words:
            self.socket.send(self.words)
            self.words = b""
            selector.modify(self.socket, selectors.EVENT_READ, self)
            return False
        piece = self.socket.recv(4096)
        self.got += piece
        if piece:
            return False
        if not self.got.endswith(b"ok"):
            sys.exit(f"a connection brought {self.got!r}")
        selector.unregister(self.socket)
        self.socket.close()
        return True


def connections(address, port, proxy_port, count, parallel):
    selector = selectors.EpollSelector()
    begun = ended = 0
    began = time.perf_counter()
    while ended < count:
        while begun - ended < parallel and begun < count:
            one = One(address, port, proxy_port)
            selector.register(one.socket, selectors.EVENT_WRITE if proxy_port else selectors.EVENT_READ, one)
            begun += 1
        for key, _ in selector.select():
            ended += key.data.go_on(selector)
    return count / (time.perf_counter() - began)


if __name__ == "__main__":
    print({"stream": stream, "connections": connections}[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:])))
