# SPDX-License-Identifier: Apache-2.0
"""The server's side of a websocket, as far as an echo needs it (RFC 6455): the handshake, and short frames."""
import base64
import hashlib
import struct

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


def accept_of(key):
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) != size:
        raise EOFError
    return data


def read_frame(stream):
    """(opcode, payload) of a client's frame, which is masked."""
    first, second = read_exactly(stream, 2)
    size = second & 0x7F
    if size == 126:
        size = struct.unpack("!H", read_exactly(stream, 2))[0]
    elif size == 127:
        size = struct.unpack("!Q", read_exactly(stream, 8))[0]
    mask = read_exactly(stream, 4)
    return first & 0x0F, bytes(byte ^ mask[at % 4] for at, byte in enumerate(read_exactly(stream, size)))


def frame(opcode, payload):
    size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack("!H", len(payload))
    return bytes([0x80 | opcode]) + size + payload


def echo(stream, out):
    """Sends back what comes, until the client closes."""
    while True:
        opcode, payload = read_frame(stream)
        if opcode == PING:
            out(frame(PONG, payload))
        else:
            out(frame(opcode, payload))
        if opcode == CLOSE:
            return
