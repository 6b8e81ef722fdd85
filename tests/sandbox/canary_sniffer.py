# SPDX-License-Identifier: Apache-2.0
"""Says, as a line of JSON each, what processes of this network begin, to whichever address and port and on whichever interface,
the loopback included: TCP connections, datagrams, names that are asked for, and echo requests. Answers a number on its standard
input by a mark, once everything that came before is said. Needs CAP_NET_RAW (packet(7))."""
import ctypes
import ipaddress
import json
import selectors
import socket
import struct
import sys

ETH_P_ALL, SO_ATTACH_FILTER, SO_RCVBUFFORCE, PACKET_OUTGOING = 3, 26, 33, 4
TCP, UDP, ICMP, ICMP6 = 6, 17, 1, 58
ECHO_REQUEST = {ICMP: 8, ICMP6: 128}
NAMES = 53
# Of what the kernel shows: IPv4 and IPv6, and of TCP the first packet alone (SYN without ACK), so that a stream of a gigabyte
# drowns nothing.
FILTER = [
    (0x30, 0, 0, 0), (0x54, 0, 0, 0xF0), (0x15, 0, 6, 0x40),
    (0x30, 0, 0, 9), (0x15, 0, 10, TCP), (0xB1, 0, 0, 0), (0x50, 0, 0, 13), (0x54, 0, 0, 0x12), (0x15, 6, 7, 0x02),
    (0x15, 0, 6, 0x60), (0x30, 0, 0, 6), (0x15, 0, 3, TCP), (0x30, 0, 0, 53), (0x54, 0, 0, 0x12), (0x15, 0, 1, 0x02),
    (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0),
]


def open_tap():
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in FILTER))
    tap.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", len(FILTER), ctypes.addressof(code)))
    tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
    return tap


def read_name(query):
    labels, at = [], 12
    while at < len(query) and query[at]:
        labels.append(query[at + 1:at + 1 + query[at]])
        at += 1 + query[at]
    return b".".join(labels).decode("latin-1")


def sighting(packet):
    """What to say of a packet that left; None: nothing."""
    if packet[0] >> 4 == 4:
        protocol, address, rest = packet[9], packet[16:20], packet[4 * (packet[0] & 15):]
    else:
        protocol, address, rest = packet[6], packet[24:40], packet[40:]
    reached = {"address": str(ipaddress.ip_address(bytes(address)))}
    port = struct.unpack("!H", rest[2:4])[0] if len(rest) >= 4 else 0
    if protocol == TCP:
        return {"kind": "tcp", **reached, "port": port}
    if protocol == UDP and port == NAMES:
        return {"kind": "name", **reached, "name": read_name(rest[8:])}
    if protocol == UDP:
        return {"kind": "udp", **reached, "port": port, "text": rest[8:72].decode("latin-1")}
    if protocol in ECHO_REQUEST and rest[:1] == bytes([ECHO_REQUEST[protocol]]):
        return {"kind": "echo", **reached}
    return None  # what the kernel says by itself: groups, neighbours, errors


def say(line):
    print(json.dumps(line), flush=True)


def main():
    tap = open_tap()
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("127.0.0.1", 0))
    selector = selectors.DefaultSelector()
    selector.register(tap, selectors.EVENT_READ)
    selector.register(sys.stdin, selectors.EVENT_READ)
    say({"kind": "ready"})
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                word = sys.stdin.readline()
                if not word:
                    return
                own.sendto(word.strip().encode(), own.getsockname())
                own.recv(100)
                continue
            packet, (_, _, direction, *_) = tap.recvfrom(65536)
            if direction != PACKET_OUTGOING:
                continue  # it was sent by somebody else, or was seen when it was sent
            seen = sighting(packet)
            if seen and seen["kind"] == "udp" and seen["port"] == own.getsockname()[1]:
                say({"kind": "mark", "number": int(seen["text"])})
            elif seen:
                say(seen)


if __name__ == "__main__":
    main()
