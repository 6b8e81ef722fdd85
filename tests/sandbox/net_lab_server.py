# SPDX-License-Identifier: Apache-2.0
"""net_lab_server.py PORT: answers on every address of its network, by TCP and UDP, and on port 53 for names. Says as one
line of JSON each who came: the address that was reached, how, and the first words."""
import json
import selectors
import socket
import struct
import sys

from net_lab_names import Names

IP_PKTINFO = 8
names = Names()


def say(address, kind, text):
    print(json.dumps({"address": address, "kind": kind, "text": text}), flush=True)


def on_stream(listener):
    connection, _ = listener.accept()
    with connection:
        connection.settimeout(5)
        address, port = connection.getsockname()[:2]
        try:
            text = connection.recv(4096)
            if port == 53:
                answer, text = names.answer(text[2:])
                if answer:
                    connection.sendall(struct.pack("!H", len(answer)) + answer)
            else:
                connection.sendall(b"hello from " + address.encode() + b"\n")
                text = text.decode(errors="replace")
        except OSError as error:
            text = str(error)
        say(address, "names over tcp" if port == 53 else "tcp", text)


def on_packet(server):
    text, ancillary, _, asker = server.recvmsg(4096, 256)
    [(level, _, place)] = ancillary
    is_v4 = level == socket.IPPROTO_IP
    reached = socket.inet_ntoa(place[8:12]) if is_v4 else socket.inet_ntop(socket.AF_INET6, place[:16])
    is_name = server.getsockname()[1] == 53
    answer, text = names.answer(text) if is_name else (b"hello from " + reached.encode(), text.decode(errors="replace"))
    # From the address that was asked: nobody else's answer is taken.
    own = (socket.IPPROTO_IP, IP_PKTINFO, bytes(4) + place[4:8] + bytes(4)) if is_v4 else (level, socket.IPV6_PKTINFO, place[:16] + bytes(4))
    try:
        if answer:
            server.sendmsg([answer], [own], 0, asker)
    except OSError:
        pass  # a group's address is nobody's
    say(reached, "names" if is_name else "udp", text)


def open_packets(family, port):
    packets = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6:
        packets.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        packets.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
    else:
        packets.setsockopt(socket.IPPROTO_IP, IP_PKTINFO, 1)
    packets.bind(("", port))
    for index, name in socket.if_nameindex():
        if name == "lo":
            continue
        if family == socket.AF_INET:
            group = socket.inet_aton("239.1.2.3") + socket.inet_aton("0.0.0.0") + struct.pack("i", index)
            packets.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        else:
            group = socket.inet_pton(family, "ff05::1:3") + struct.pack("@I", index)
            packets.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group)
    return packets


def main(port):
    selector = selectors.DefaultSelector()
    for number in (port, 53):
        for family in (socket.AF_INET, socket.AF_INET6):
            selector.register(socket.create_server(("", number), family=family), selectors.EVENT_READ, on_stream)
            selector.register(open_packets(family, number), selectors.EVENT_READ, on_packet)
    say("", "ready", "")
    while True:
        for key, _ in selector.select():
            key.data(key.fileobj)


if __name__ == "__main__":
    main(int(sys.argv[1]))
