# SPDX-License-Identifier: Apache-2.0
"""The ways in which a program inside can ask the door for a host. Each takes a host as bytes, which may be anything, and says
what came of it.

What an answer is worth is not decided by it: the canary outside says who was reached.
"""
import dataclasses
import ipaddress
import re
import socket
import struct

import tls_hello

NAMES = ("127.0.0.1", 53)
POOL = ipaddress.ip_network("198.18.0.0/15")
A, AAAA, TXT = 1, 28, 16


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`reached`: the host itself answered. `code`: an HTTP status, a SOCKS reply, a code of the DNS or a TLS alert; None: no answer."""
    reached: bool
    code: int | None
    text: str = ""
    took: float = 0.0


def http_outcome(answer, took=0.0):
    head, _, _ = answer.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.[01] (\d{3}) ", head)
    refused = re.search(rb"(?im)^x-agentctl-reason: *(.*?)\r?$", head)
    code = int(status[1]) if status else None
    return Outcome(code is not None and refused is None, code, answer.decode("latin-1"), took)


def server_name_of(host):
    """What a client puts into its hello for a host: nothing for an address."""
    try:
        ipaddress.ip_address(host.decode("latin-1").strip("[]"))
        return None
    except ValueError:
        return host


def tls_outcome(peer, name):
    """Of a connection that leads to a server of TLS, or is said to."""
    peer.send(tls_hello.client_hello(*([] if name is None else [name])))
    answer = peer.receive(size=5, seconds=20)
    if answer[:1] == bytes([tls_hello.HANDSHAKE]):
        return Outcome(True, None, "server hello")
    answer += peer.receive(seconds=20)
    return Outcome(False, answer[-1] if tls_hello.is_alert(answer) else None, repr(answer))


def connect(caller, host, port=443):
    authority = host + b":" + str(port).encode()
    with caller.connect() as peer:
        peer.send(b"CONNECT " + authority + b" HTTP/1.1\r\nHost: " + authority + b"\r\n\r\n")
        answer = peer.receive(until=b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 200"):
            return http_outcome(answer + peer.receive(), peer.took)
        return tls_outcome(peer, server_name_of(host))


def absolute(caller, host, port=80):
    suffix = b"" if port == 80 else b":" + str(port).encode()
    with caller.connect() as peer:
        peer.send(b"GET http://" + host + suffix + b"/ HTTP/1.1\r\nHost: " + host + suffix + b"\r\n\r\n")
        return http_outcome(peer.receive(), peer.took)


def socks_address(host):
    """As SOCKS has it: an address where the host is one, else a name."""
    text = host.decode("latin-1")
    try:
        address = ipaddress.ip_address(text[1:-1] if text.startswith("[") else text)
    except ValueError:
        return b"\x03" + bytes([len(host)]) + host
    return (b"\x01" if address.version == 4 else b"\x04") + address.packed


def socks_by(address, caller, host, port):
    with caller.connect() as peer:
        peer.send(b"\x05\x01\x00")
        if peer.receive(size=2) != b"\x05\x00":
            return Outcome(False, None, "no greeting")
        peer.send(b"\x05\x01\x00" + address + struct.pack("!H", port))
        reply = peer.receive(size=10)
        if reply[:2] != b"\x05\x00":
            return Outcome(False, reply[1] if len(reply) > 1 else None, repr(reply))
        return tls_outcome(peer, server_name_of(host))


def socks(caller, host, port=443):
    return socks_by(socks_address(host), caller, host, port)


def socks_by_name(caller, host, port=443):
    """As a name, even where it is the text of an address."""
    return socks_by(b"\x03" + bytes([len(host)]) + host, caller, host, port)


def question(name, kind=A, number=0x1234):
    """A message that asks for a name; None for one that no message can hold."""
    labels = name.split(b".")
    if labels and not labels[-1]:
        labels.pop()
    if any(not label or len(label) > 63 for label in labels):
        return None
    encoded = b"".join(bytes([len(label)]) + label for label in labels) + b"\0"
    return struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 0) + encoded + struct.pack("!HH", kind, 1)


def ask(caller, query, by_tcp=False):
    """The answer to a question, without the length that goes before it on a stream."""
    with caller.connect(*NAMES, kind="stream" if by_tcp else "datagram") as peer:
        peer.send(struct.pack("!H", len(query)) + query if by_tcp else query)
        size = struct.unpack("!H", peer.receive(size=2))[0] if by_tcp else 65536
        answer = peer.receive(size=size) if by_tcp else peer.receive(size=65536, until=query[:2])
        return answer, peer.took


def address_in(answer):
    """The IPv4 address that an answer ends with; None where there is none."""
    if len(answer) < 12 or struct.unpack("!H", answer[6:8])[0] == 0:
        return None
    return socket.inet_ntoa(answer[-4:])


def lookup(caller, name):
    """The address of the pool that stands for a name."""
    answer, _ = ask(caller, question(name))
    return address_in(answer)


def by_name(caller, host, port=443):
    """As a program that knows of no proxy does: the name is looked up, and what comes is connected to."""
    query = question(host)
    answer, took = ask(caller, query)
    address = address_in(answer)
    if address is None or ipaddress.ip_address(address) not in POOL:
        return Outcome(False, answer[3] & 15 if len(answer) > 3 else None, address or "", took)
    with caller.connect(address, port) as peer:
        return tls_outcome(peer, host)


def by_server_name(caller, host, allowed=b"example.com"):
    """Behind the address of a host that is allowed, TLS names another."""
    with caller.connect(lookup(caller, allowed), 443) as peer:
        return tls_outcome(peer, host)


def by_host_field(caller, host, allowed=b"example.com"):
    """Behind the address of a host that is allowed, HTTP names another."""
    with caller.connect(lookup(caller, allowed), 80) as peer:
        peer.send(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
        return http_outcome(peer.receive(), peer.took)


FRONTS = {"CONNECT": connect, "absolute form": absolute, "SOCKS5": socks, "SOCKS5 by name": socks_by_name, "a name without a proxy": by_name,
          "TLS behind another host": by_server_name, "HTTP behind another host": by_host_field}


def takes(front, host):
    """Whether this way has a form for such a host at all."""
    if front == "a name without a proxy":
        return question(host) is not None and not host.startswith(b"[")
    return not front.startswith("SOCKS5") or len(host) < 256
