# SPDX-License-Identifier: Apache-2.0
"""The names of the lab's internet, as a server of names tells them (RFC 1035). Pure, but for the one that changes.

What lies below one of `BELOW` leads to the internet's server, so that a name which should never have been asked for
would be found. `.rebind.test` leads to where no name may lead.
"""
import ipaddress
import struct

INTERNET6 = "2606:2800:220:1::34"
INTERNET, RECORDER, HTTP2, MODEL = (f"93.184.216.{last}" for last in (34, 35, 36, 37))
BELOW = ("test", "example.com", "evil.net", "evil-example.com", "google.internal", "docker.internal")
REBOUND = {
    "loopback": ["127.0.0.1"], "lan": ["10.9.0.1"], "own": ["10.9.0.2"], "zero": ["0.0.0.0"], "broadcast": ["255.255.255.255"],
    "metadata": ["169.254.169.254"], "shared": ["100.64.0.1"], "documentation": ["192.0.2.1"], "pool": ["198.18.0.1"],
    "group": ["224.0.0.1"], "loopback6": ["::1"], "own6": ["fd10:9::2"], "link6": ["fe80::1"], "mapped": ["::ffff:10.9.0.1"],
    "nat64": ["64:ff9b::a09:1"], "sixtofour": ["2002:a09:1::"], "compatible": ["::10.9.0.1"], "two": ["10.9.0.1", "127.0.0.1"],
    "own-public": ["93.184.216.99"], "near-public": ["5.5.5.6"], "many": [f"10.9.1.{at}" for at in range(20)],
}
NAMES = {
    "public.example": [INTERNET], "router.example": ["10.9.0.1"], "no.such.example": None, "127.0.0.1.nip.io": ["127.0.0.1"],
    "recorder.example.com": [RECORDER], "h2.test": [HTTP2], "model.test": [MODEL], "mixed.test": ["10.9.0.1", INTERNET],
    "six.test": [INTERNET6],
    **{f"{label}.rebind.test": addresses for label, addresses in REBOUND.items()},
}
ALIASES = {"alias.rebind.test": "router.example"}
SILENT = "silent.test"  # never answered
FLIPS = "flip.test"     # the internet's address once, this machine's loopback from then on
A, CNAME, AAAA = 1, 5, 28


class Names:
    def __init__(self):
        self.flipped = False

    def find(self, name, kind):
        """Its addresses, of both kinds; None: there is no such name."""
        if name == FLIPS and kind == A:
            found, self.flipped = ["127.0.0.1"] if self.flipped else [INTERNET], True
            return found
        if name in NAMES:
            return NAMES[name]
        return [INTERNET] if any(name == root or name.endswith("." + root) for root in BELOW) else None

    def answer(self, query):
        """The answer to a question for the addresses of a name, and the name; no answer for one that is never given one."""
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]])
            at += 1 + query[at]
        question = query[12:at + 5]
        kind = struct.unpack("!H", question[-4:-2])[0]
        asked = b".".join(labels).decode("latin-1")
        name = asked.lower()
        if name == SILENT:
            return None, asked
        alias = ALIASES.get(name)
        found = self.find(alias or name, kind)
        records = [record(kind, address) for address in found or [] if kind == (AAAA if ":" in address else A)]
        if alias:
            records = [alias_record(alias)] + [of_name.replace(b"\xc0\x0c", encode(alias), 1) for of_name in records]
        head = query[:2] + struct.pack("!HHHHH", 0x8180 | (3 if found is None else 0), 1, len(records), 0, 0)
        return head + question + b"".join(records), asked


def encode(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def record(kind, address):
    data = ipaddress.ip_address(address).packed
    return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(data)) + data


def alias_record(alias):
    data = encode(alias)
    return b"\xc0\x0c" + struct.pack("!HHIH", CNAME, 1, 0, len(data)) + data
