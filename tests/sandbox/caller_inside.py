# SPDX-License-Identifier: Apache-2.0
"""The sockets of a session, held by a test outside: see caller.py. Takes a line of JSON each on its standard input, answers by one."""
import base64
import errno
import json
import select
import socket
import sys
import time

peers = {}
left_over = {}  # by peer: what came behind what was looked for


def name_of(error):
    return errno.errorcode.get(error.errno, str(error)) if error.errno else str(error)


def connect(number, address, port, kind="stream", seconds=10):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    peer = socket.socket(family, socket.SOCK_STREAM if kind == "stream" else socket.SOCK_DGRAM)
    peer.settimeout(seconds)
    try:
        peer.connect((address, port))
    except OSError as error:
        peer.close()
        return {"error": name_of(error)}
    peers[number] = peer
    return {}


def send(number, data):
    try:
        peers[number].sendall(base64.b64decode(data))
    except OSError as error:
        return {"error": name_of(error)}
    return {}


def receive(number, size, until, seconds):
    """Until so many bytes are there, or `until` is among them, or the end, or the time is over."""
    peer, got, ended = peers[number], left_over.pop(number, b""), None
    mark, end_of_time = base64.b64decode(until), time.monotonic() + seconds
    while len(got) < size and not (mark and mark in got):
        if not select.select([peer], [], [], max(0.0, end_of_time - time.monotonic()))[0]:
            ended = "time"
            break
        try:
            piece = peer.recv(min(65536, size - len(got)))
        except OSError as error:
            ended = name_of(error)
            break
        if not piece:
            ended = "end"
            break
        got += piece
    if peer.type == socket.SOCK_STREAM and mark and mark in got:
        end = got.index(mark) + len(mark)
        got, left_over[number] = got[:end], got[end:]
    return {"data": base64.b64encode(got).decode(), "ended": ended}


def finish(number):
    peers[number].shutdown(socket.SHUT_WR)
    return {}


def close(number):
    left_over.pop(number, None)
    peers.pop(number).close()
    return {}


def send_raw(address, protocol):
    """A packet of another protocol."""
    try:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM, protocol) as raw:
            raw.sendto(b"\x08\0\0\0\0\x01\0\x01", (address, 0))
    except OSError as error:
        return {"error": name_of(error)}
    return {}


CALLS = {call.__name__: call for call in (connect, send, receive, finish, close, send_raw)}


def main():
    print(json.dumps({"kind": "ready"}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        began = time.monotonic()
        answer = CALLS[asked.pop("call")](**asked)
        print(json.dumps({**answer, "took": time.monotonic() - began}), flush=True)


if __name__ == "__main__":
    main()
