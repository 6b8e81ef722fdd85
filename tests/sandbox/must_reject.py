# SPDX-License-Identifier: Apache-2.0
"""What the door must not let through, as data: hosts as somebody inside may write them, where example.com and *.example.com are
allowed. Not one of them may be connected to, nor be looked up outside.

`NO_RULE`: well-formed, and no rule allows it; `MALFORMED`: two programs could read it as two hosts.
"""
import dataclasses

NO_RULE, MALFORMED = "no rule", "malformed"
LONG = b".".join([b"a" * 63, b"b" * 63, b"c" * 63, b"d" * 50, b"example.com"])  # 254 bytes
WIDE_DOT, CIRCLED_E, UMLAUT = "\uff0e".encode(), "\u24d4".encode(), "\u00e4".encode()


@dataclasses.dataclass(frozen=True)
class Entry:
    host: bytes
    kind: str
    without: tuple = ()  # ways in which it is what it claims to be


def no_rule(*hosts):
    return [Entry(host, NO_RULE) for host in hosts]


def malformed(*hosts, without=()):
    return [Entry(host, MALFORMED, without) for host in hosts]


# Blanks around a field's value are no part of it (RFC 9110, 5.5).
IN_A_FIELD = ("HTTP behind another host",)

NEIGHBOURS = no_rule(
    b"evil.net", b"evil-example.com", b"notexample.com", b"xexample.com", b"example.com.evil.net", b"api.example.com.evil.net",
    b"example.co", b"example", b"com", b"example.com-evil.net", b"exa_mple.com", b"example-com.evil.net", b"examplecom.evil.net")
LOCAL = no_rule(
    b"localhost", b"localhost.", b"LOCALHOST", b"x.localhost", b"router", b"127.0.0.1", b"0.0.0.0", b"10.9.0.1", b"10.9.0.2", b"192.168.1.1",
    b"169.254.169.254", b"100.100.100.200", b"168.63.129.16", b"metadata.google.internal", b"host.docker.internal", b"127.0.0.1.evil.net",
    b"255.255.255.255", b"224.0.0.1", b"[::1]", b"[::]", b"[::ffff:127.0.0.1]", b"[::ffff:7f00:1]", b"[::127.0.0.1]", b"[fd10:9::1]",
    b"[fe80::1]", b"[fd00:ec2::254]", b"[64:ff9b::7f00:1]", b"[64:ff9b::10.9.0.1]", b"[64:ff9b:1::a09:1]", b"[2002:7f00:1::]", b"[ff02::1]")
ADDRESSES = no_rule(
    b"93.184.216.34", b"[2606:2800:220:1::34]", b"[::ffff:93.184.216.34]", b"198.18.0.200", b"198.19.255.254", b"8.8.8.8")
NUMBERS = malformed(
    b"127.1", b"127.0.1", b"0177.0.0.1", b"0177.1", b"127.0.0.01", b"2130706433", b"0x7f000001", b"0x7f.1", b"0X7F.0.0.1", b"127.0.0.1.",
    b"1.2.3.4.5", b"256.1.1.1", b"127.0.0.0x1", b"example.com.1", b"93.184.55330", b"1572395042")
DOTS = malformed(b"", b".", b"..", b"example.com..", b".example.com", b"api..example.com", b"*.example.com", b"*")
HIDDEN = malformed(
    b"example.com\0.evil.net", b"evil.net\0.example.com", b"example.com\0", b"\0example.com", b"example.com%00.evil.net",
    b"evil.net%00.example.com", b"example.com%2eevil.net", b"evil%2enet", b"evil.net\r\n.example.com", b"evil.net\n.example.com",
    b"evil.net\x7f.example.com", b"evil.net\x1b.example.com", b"evil.net .example.com", b"evil.net\t.example.com")
BLANKS = malformed(b"example.com\t", b"example.com ", b" example.com", b"\texample.com", without=IN_A_FIELD)
PARTS = malformed(
    b"user@example.com", b"example.com@evil.net", b"user:word@evil.net", b"evil.net#.example.com", b"example.com#evil.net",
    b"evil.net/.example.com", b"evil.net?.example.com", b"evil.net\\.example.com", b"evil.net;.example.com", b"evil.net,example.com",
    b"evil.net&.example.com", b"evil.net'.example.com", b"evil.net=.example.com", b"(evil.net).example.com", b"evil.net|.example.com",
    b"http://example.com", b"//example.com", b"example.com/", b"example.com\\")
LETTERS = malformed(
    b"evil" + WIDE_DOT + b"net", b"example.com" + WIDE_DOT + b"evil.net", CIRCLED_E + b"xample.com", b"ex" + UMLAUT + b"mple.com",
    b"\xff.example.com", b"\xc0\xaeexample.com", b"xn--.example.com", b"xn--99999999999.example.com", b"xn--a.example.com",
    b"xn--example-.com")
SIZES = malformed(LONG, b"a" * 64 + b".example.com", b"-a.example.com", b"a-.example.com", b"example.com" + b"." * 200)
BRACKETS = malformed(
    b"::1", b"[::1", b"::1]", b"[]", b"[127.0.0.1]", b"[example.com]", b"[::1%eth0]", b"[fe80::1%25lo]", b"[fe80::1%1]", b"[::1].example.com",
    b"[v1.example.com]", b"[::1]]", b"[[::1]]", b"[1:2:3:4:5:6:7:8:9]", b"[::ffff:127.1]", b"example.com[::1]")

ENTRIES = NEIGHBOURS + LOCAL + ADDRESSES + NUMBERS + DOTS + HIDDEN + BLANKS + PARTS + LETTERS + SIZES + BRACKETS

# The same host in another spelling: these are let through, so that what refuses the others is not a door that is shut.
ACCEPTED = [b"example.com", b"EXAMPLE.com", b"Example.Com.", b"api.example.com", b"API.EXAMPLE.COM.", b"a.b.c.example.com",
            b"xn--bcher-kva.example.com", b"_dmarc.example.com"]

# What CONNECT must not take for a host and a port, in full.
AUTHORITIES = {
    MALFORMED: [b"example.com", b"example.com:", b":443", b"example.com:0", b"example.com:0443", b"example.com:+443", b"example.com:-1",
                b"example.com: 443", b"example.com:443 ", b"example.com:65536", b"example.com:99999999999999999443", b"example.com:443:80",
                b"example.com:443@evil.net:80", b"example.com:443#", b"example.com:443/", b"example.com:4_43", b"example.com:0x1bb",
                b"example.com:\xef\xbc\x94\xef\xbc\x94\xef\xbc\x93", b"http://example.com:443", b"https://example.com/", b"/", b"*", b"[::1]443",
                b"[::1]:", b"user:word@example.com:443"],
    NO_RULE: [b"example.com:22", b"example.com:25", b"example.com:8443", b"example.com:1", b"example.com:65535", b"evil.net:443", b"evil.net:80",
              b"127.0.0.1:3128", b"198.18.0.1:3128", b"[::1]:22"],
}
# What a proxy must not be asked to fetch.
TARGETS = [
    b"ftp://example.com/", b"file:///etc/passwd", b"file://example.com/etc/passwd", b"http:///", b"http://", b"http:/example.com/", b"http:example.com",
    b"https://example.com/", b"ws://example.com/", b"gopher://example.com/", b"//example.com/", b"/", b"*", b"example.com", b"example.com/",
    b"http://user@example.com/", b"http://user:word@example.com/", b"http://example.com@evil.net/", b"http://example.com:80@evil.net/",
    b"http://example.com:80:90/", b"http://example.com:/", b"http://example.com:0/", b"http://example.com:22/", b"http://example.com:443/",
    b"http://evil.net\\@example.com/", b"http://evil.net#@example.com/", b"http://example.com/ /", b"http://example.com\\.evil.net/",
    b"http://%65xample.com/", b"http://[::1]/", b"unix:/run/user/0/bus", b"http+unix://%2frun%2fuser%2f0%2fbus/", b"javascript:1", b"data:,x"]
