# SPDX-License-Identifier: Apache-2.0
"""Requests that two programs could cut or address in two ways (RFC 9112, 11.2), as data.

HOST stands for the host that is allowed, whose server keeps every byte; EVIL for one that is not; SMUGGLED for what must never arrive
anywhere. `REFUSED` goes nowhere at all; `CUT` may reach its host as one request, and what is behind that does not.
"""
HOST, EVIL, MARK = b"recorder.example.com", b"evil.net", b"SMUGGLED"
SECOND = b"GET http://" + EVIL + b"/" + MARK + b" HTTP/1.1\r\nHost: " + EVIL + b"\r\n\r\n"
SECOND_HERE = b"GET /" + MARK + b" HTTP/1.1\r\nHost: " + HOST + b"\r\n\r\n"


def get(*fields, line=b"GET http://" + HOST + b"/ HTTP/1.1", host=b"Host: " + HOST, rest=b""):
    return b"\r\n".join([line, *([host] if host is not None else []), *fields, b"", b""]) + rest


def post(*fields, rest=b""):
    return get(*fields, line=b"POST http://" + HOST + b"/ HTTP/1.1", rest=rest)


CHUNKED, ZERO = b"Transfer-Encoding: chunked", b"0\r\n\r\n"

REFUSED = {
    "both lengths": post(b"Content-Length: 4", CHUNKED, rest=ZERO + SECOND),
    "both lengths, the other way round": post(CHUNKED, b"Content-Length: 4", rest=ZERO + SECOND),
    "two lengths": post(b"Content-Length: 0", b"Content-Length: 44", rest=SECOND),
    "the same length twice": post(b"Content-Length: 3", b"Content-Length: 3", rest=b"abc" + SECOND),
    "two lengths in one field": post(b"Content-Length: 0, 44", rest=SECOND),
    "a signed length": post(b"Content-Length: +3", rest=b"abc" + SECOND),
    "a negative length": post(b"Content-Length: -1", rest=SECOND),
    "a length in hexadecimal": post(b"Content-Length: 0x3", rest=b"abc" + SECOND),
    "a length that overflows": post(b"Content-Length: 18446744073709551619", rest=b"abc" + SECOND),
    "a length that is empty": post(b"Content-Length:", rest=SECOND),
    "a blank before the colon": post(b"Transfer-Encoding : chunked", rest=ZERO + SECOND),
    "a tab before the colon": post(b"Content-Length\t: 3", rest=b"abc" + SECOND),
    "a coding twice": post(CHUNKED, CHUNKED, rest=ZERO + SECOND),
    "two codings": post(b"Transfer-Encoding: gzip, chunked", rest=ZERO + SECOND),
    "a coding that nobody knows": post(b"Transfer-Encoding: xchunked", rest=ZERO + SECOND),
    "a coding with a control": post(b"Transfer-Encoding: \x0bchunked", rest=ZERO + SECOND),
    "a coding in quotes": post(b'Transfer-Encoding: "chunked"', rest=ZERO + SECOND),
    "chunked for HTTP/1.0": get(CHUNKED, line=b"POST http://" + HOST + b"/ HTTP/1.0", rest=ZERO + SECOND),
    "a folded line": post(b"X-One: 1\r\n Transfer-Encoding: chunked", rest=ZERO + SECOND),
    "a folded coding": post(b"Transfer-Encoding:\r\n chunked", rest=ZERO + SECOND),
    "a folded first field": b"GET http://" + HOST + b"/ HTTP/1.1\r\n Host: " + HOST + b"\r\n\r\n",
    "a bare LF between fields": b"GET http://" + HOST + b"/ HTTP/1.1\nHost: " + HOST + b"\r\n\r\n",
    "a bare LF at the end": b"GET http://" + HOST + b"/ HTTP/1.1\r\nHost: " + HOST + b"\r\n\n",
    "a bare CR": get(b"X-One: 1\rTransfer-Encoding: chunked", rest=ZERO + SECOND),
    "a NUL in a value": get(b"X-One: 1\0"),
    "a NUL in a name": get(b"X\0One: 1"),
    "a line without a colon": get(b"Transfer-Encoding chunked"),
    "an empty name": get(b": chunked"),
    "a name that is no token": get(b"X(One): 1"),
    "two Hosts": get(b"Host: " + EVIL),
    "two Hosts that are the same": get(b"Host: " + HOST),
    "two Hosts in another case": get(b"HOST: " + EVIL),
    "another Host than the target's": get(host=b"Host: " + EVIL),
    "another Host than the target's, the other way round": get(line=b"GET http://" + EVIL + b"/ HTTP/1.1"),
    "a Host with another port": get(host=b"Host: " + HOST + b":8080"),
    "a Host with user information": get(host=b"Host: " + HOST + b"@" + EVIL),
    "two Hosts in one field": get(host=b"Host: " + HOST + b", " + EVIL),
    "no Host": get(host=None),
    "a body of GET": get(b"Content-Length: %d" % len(SECOND), rest=SECOND),
    "a body of HEAD": get(b"Content-Length: 3", line=b"HEAD http://" + HOST + b"/ HTTP/1.1", rest=b"abc" + SECOND),
    "a body of CONNECT": get(b"Content-Length: 3", line=b"CONNECT " + HOST + b":80 HTTP/1.1", rest=b"abc"),
    "no version": b"GET http://" + HOST + b"/\r\n\r\n",
    "another version": get(line=b"GET http://" + HOST + b"/ HTTP/1.2"),
    "a version of its own": get(line=b"GET http://" + HOST + b"/ HTTP/2.0"),
    "a version in small letters": get(line=b"GET http://" + HOST + b"/ http/1.1"),
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SECOND,
    "a method in small letters": get(line=b"get http://" + HOST + b"/ HTTP/1.1"),
    "a method with a blank before": get(line=b" GET http://" + HOST + b"/ HTTP/1.1"),
    "two blanks": get(line=b"GET  http://" + HOST + b"/ HTTP/1.1"),
    "a tab for a blank": get(line=b"GET\thttp://" + HOST + b"/ HTTP/1.1"),
    "a blank in the target": get(line=b"GET http://" + HOST + b"/ HTTP/1.1 HTTP/1.1"),
    "a line before the first": b"\r\n" + get(),
    "TRACE": get(line=b"TRACE http://" + HOST + b"/ HTTP/1.1"),
    "a head larger than 64 KiB": get(b"X-One: " + b"a" * (64 << 10)),
    "a first line larger than 64 KiB": get(line=b"GET http://" + HOST + b"/" + b"a" * (64 << 10) + b" HTTP/1.1"),
    "more than 100 fields": get(*[b"X-%d: 1" % at for at in range(100)]),
    "TLS to a proxy": b"\x16\x03\x01\0\5\1\0\0\1\0",
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "a command of mail": b"EHLO localhost\r\n",
}
# What is wrong in these is said to a proxy alone.
TO_A_PROXY = ("another Host than the target's, the other way round",)
CUT = {
    "another host behind the first": get(rest=SECOND),
    "the same host behind the first": get(rest=SECOND_HERE),
    "another host behind a body": post(b"Content-Length: 3", rest=b"abc" + SECOND),
    "another host behind the last chunk": post(CHUNKED, rest=b"3\r\nabc\r\n" + ZERO + SECOND),
    "a method of its own behind a body": post(b"Content-Length: 3", rest=b"abcCONNECT " + EVIL + b":443 HTTP/1.1\r\n\r\n" + MARK),
    "an extension of a chunk": post(CHUNKED, rest=b"0;" + MARK + b"\r\n\r\n" + SECOND),
    "a chunk in 0x": post(CHUNKED, rest=b"0x3\r\n" + MARK),
    "a chunk with a sign": post(CHUNKED, rest=b"+3\r\n" + MARK),
    "a chunk with a blank": post(CHUNKED, rest=b"3 \r\n" + MARK),
    "a chunk that overflows": post(CHUNKED, rest=b"10000000000000003\r\n" + MARK),
    "a chunk that ends with a bare LF": post(CHUNKED, rest=b"3\n" + MARK),
    "a chunk that is longer than it says": post(CHUNKED, rest=b"3\r\nabcX" + MARK),
    "a trailer": post(CHUNKED, rest=b"0\r\nX-" + MARK + b": 1\r\n\r\n"),
    "an upgrade to HTTP/2": get(b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABk" + MARK, rest=SECOND),
    "a field that this hop alone may see": get(b"Connection: close, X-Secret", b"X-Secret: " + MARK),
    "a login for a proxy": get(b"Proxy-Authorization: Basic " + MARK),
    "a wish of a proxy's": get(b"Proxy-Connection: " + MARK),
    "a Host that is to be dropped": get(b"Connection: Host", rest=SECOND),
    "a length that is to be dropped": post(b"Connection: Content-Length", b"Content-Length: 3", rest=b"abc" + SECOND),
}
