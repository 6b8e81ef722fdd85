# SPDX-License-Identifier: Apache-2.0
"""The first message of a TLS client, made by hand, since no library sends the names that a test wants to send (RFC 8446, 4.1.2)."""
import os
import struct

HANDSHAKE, ALERT = 0x16, 0x15
ACCESS_DENIED = 49
SERVER_NAME, GROUPS, SIGNATURES, VERSIONS, SHARES, ENCRYPTED = 0, 10, 13, 43, 51, 0xFE0D
CIPHERS = (0x1301, 0xC02B, 0xC02F)
P256, X25519 = 23, 29


def vector(size, data):
    return len(data).to_bytes(size, "big") + data


def words(*numbers):
    return b"".join(struct.pack("!H", number) for number in numbers)


def extension(kind, data):
    return words(kind) + vector(2, data)


def server_name(name):
    return extension(SERVER_NAME, vector(2, b"\0" + vector(2, name)))


def client_hello(*names, asks_again=False, more=b""):
    """As bytes of one record. `names`: none, one, or more than is allowed; `asks_again`: the server must ask for another hello."""
    extensions = b"".join(server_name(name) for name in names)
    extensions += extension(GROUPS, vector(2, words(P256, X25519))) + extension(SIGNATURES, vector(2, words(0x0403, 0x0804, 0x0401)))
    if asks_again:
        extensions += extension(VERSIONS, vector(1, words(0x0304))) + extension(SHARES, vector(2, b""))
    body = b"\x03\x03" + os.urandom(32) + vector(1, b"") + vector(2, words(*CIPHERS)) + vector(1, b"\0") + vector(2, extensions + more)
    return record(b"\x01" + vector(3, body))


def record(message):
    return b"\x16\x03\x01" + vector(2, message)


def in_records(hello, size):
    """The same hello, spread over records of `size` bytes each."""
    message = hello[5:]
    return b"".join(record(message[at:at + size]) for at in range(0, len(message), size))


def is_alert(answer):
    """Whether the server said, last of all, that access is denied."""
    return len(answer) >= 7 and answer[-7] == ALERT and answer[-1] == ACCESS_DENIED
