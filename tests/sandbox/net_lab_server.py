# SPDX-License-Identifier: Apache-2.0
"""net_lab_server.py PORT: answers on every address of its network, by TCP and UDP, and on port 53 for names. Says as one
line of JSON each who came: the address that was reached, how, and the first words."""
import json
import selectors
import socket
import struct
import sys

NAMES = {b"public.example": "93.184.216.34", b"router.example": "10.9.0.1"}
IP_PKTINFO = 8


def say(address, kind, text):
    print(json.dumps({"address": address, "kind": kind, "text": text}), flush=True)


def answer_of(query):
    """The answer to a question for the address of a name; of another name: there is none (RFC 1035)."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]])
        at += 1 + query[at]
    question = query[12:at + 5]
    kind = struct.unpack("!H", question[-4:-2])[0]
    address = NAMES.get(b".".join(labels).lower())
    found = address is not None and kind == 1
    code = 0 if address else 3
    head = query[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, 1 if found else 0, 0, 0)
    record = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + socket.inet_aton(address) if found else b""
    return head + question + record, b".".join(labels).decode()


def on_stream(listener):
    connection, _ = listener.accept()
    with connection:
        connection.settimeout(5)
        address, port = connection.getsockname()
        try:
            text = connection.recv(4096)
            if port == 53:
                answer, text = answer_of(text[2:])
                connection.sendall(struct.pack("!H", len(answer)) + answer)
            else:
                connection.sendall(b"hello from " + address.encode() + b"\n")
                text = text.decode(errors="replace")
        except OSError as error:
            text = str(error)
        say(address, "names over tcp" if port == 53 else "tcp", text)


def on_packet(server):
    text, [(_, _, place)], _, asker = server.recvmsg(4096, 256)
    own, reached = place[4:8], socket.inet_ntoa(place[8:12])
    is_name = server.getsockname()[1] == 53
    answer, text = answer_of(text) if is_name else (b"hello from " + reached.encode(), text.decode(errors="replace"))
    # From the address that was asked: nobody else's answer is taken.
    server.sendmsg([answer], [(socket.IPPROTO_IP, IP_PKTINFO, bytes(4) + own + bytes(4))], 0, asker)
    say(reached, "names" if is_name else "udp", text)


def main(port):
    selector = selectors.DefaultSelector()
    for number in (port, 53):
        stream = socket.create_server(("0.0.0.0", number))
        packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        packets.setsockopt(socket.IPPROTO_IP, IP_PKTINFO, 1)
        packets.bind(("0.0.0.0", number))
        if number == port:
            group = socket.inet_aton("239.1.2.3")
            for index, name in socket.if_nameindex():
                if name != "lo":
                    packets.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group + socket.inet_aton("0.0.0.0") + struct.pack("i", index))
        selector.register(stream, selectors.EVENT_READ, on_stream)
        selector.register(packets, selectors.EVENT_READ, on_packet)
    say("", "ready", "")
    while True:
        for key, _ in selector.select():
            key.data(key.fileobj)


if __name__ == "__main__":
    main(int(sys.argv[1]))
