# SPDX-License-Identifier: Apache-2.0
"""A service manager that lies: answers on a private socket as systemd would, says what the test tells it to, moves nobody.

Speaks as much D-Bus as `agentctl start` asks for: authentication, Properties.Get, StartTransientUnit, JobRemoved.
"""
import os
import re
import socket
import struct
import threading

PROPERTIES = {"Version": ("s", "252 (a manager that lies)"), "ActiveState": ("s", "active"), "DropInPaths": ("as", [])}
JOB = "/org/freedesktop/systemd1/job/7"
CALL, REPLY, ERROR, SIGNAL = 1, 2, 3, 4
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, SIGNATURE, UNIX_FDS = 1, 2, 3, 4, 5, 8, 9


class Writer:
    def __init__(self):
        self.data = b""

    def align(self, size):
        self.data += bytes(-len(self.data) % size)

    def put(self, kind, value):
        if kind == "y":
            self.data += bytes([value])
        elif kind == "u":
            self.align(4)
            self.data += struct.pack("<I", value)
        elif kind in "so":
            self.put("u", len(value))
            self.data += value.encode() + b"\0"
        elif kind == "g":
            self.data += bytes([len(value)]) + value.encode() + b"\0"
        elif kind == "as":
            assert value == []
            self.put("u", 0)
        elif kind == "v":
            self.put("g", value[0])
            self.put(*value)
        else:
            raise ValueError(kind)


def message(kind, serial, fields, signature="", *values):
    body = Writer()
    for one, value in zip(re.findall(r"a?[a-z]", signature), values):
        body.put(one, value)
    array = Writer()
    for code, (field_kind, value) in [*fields, *([(SIGNATURE, ("g", signature))] if signature else [])]:
        array.align(8)
        array.put("y", code)
        array.put("v", (field_kind, value))
    head = Writer()
    head.data = b"l" + bytes([kind, 0, 1]) + struct.pack("<III", len(body.data), serial, len(array.data)) + array.data
    head.align(8)
    return head.data + body.data


def strings_of(body, count):
    """The first strings of a body that begins with them."""
    found, at = [], 0
    for _ in range(count):
        at += -at % 4
        length = struct.unpack_from("<I", body, at)[0]
        found.append(body[at + 4:at + 4 + length].decode())
        at += length + 5
    return found


class Call:
    def __init__(self, head, array, body):
        self.serial = struct.unpack_from("<I", head, 8)[0]
        self.body = body
        # Long enough for what is asked: the name after the field's code and signature, "\x03\x01s\0".
        at = array.index(b"\x03\x01s\0") + 4
        length = struct.unpack_from("<I", array, at)[0]
        self.member = array[at + 4:at + 4 + length].decode()


class LyingManager:
    """`with LyingManager(runtime_dir, control_group, job_result) as manager:` listens at runtime_dir/systemd/private."""

    def __init__(self, runtime_dir, control_group, job_result="done"):
        self.control_group = control_group
        self.job_result = job_result
        self.calls = []
        self.serial = 0
        os.makedirs(os.path.join(runtime_dir, "systemd"), exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(os.path.join(runtime_dir, "systemd/private"))
        self.listener.listen()
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(10)
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                try:
                    self.talk(connection, stream)
                except (ConnectionError, struct.error):
                    pass  # the other side is gone

    def talk(self, connection, stream):
        stream.read(1)  # the null byte that carries the credentials
        while (line := stream.readline().strip()) != b"BEGIN":
            if not line:
                return
            answers = {b"AUTH EXTERNAL": b"DATA", b"NEGOTIATE_UNIX_FD": b"AGREE_UNIX_FD"}
            connection.sendall(answers.get(line, b"OK " + b"0" * 32) + b"\r\n")
        while head := stream.read(16):
            body_length, _, array_length = struct.unpack_from("<III", head, 4)
            array = stream.read(array_length + -array_length % 8)
            self.answer(connection, Call(head, array, stream.read(body_length)))

    def send(self, connection, kind, fields, *body):
        self.serial += 1
        connection.sendall(message(kind, self.serial, fields, *body))

    def answer(self, connection, call):
        self.calls.append(call.member)
        reply = (REPLY_SERIAL, ("u", call.serial))
        if call.member == "Get":
            name = strings_of(call.body, 2)[1]
            value = ("s", self.control_group) if name == "ControlGroup" else PROPERTIES[name]
            self.send(connection, REPLY, [reply], "v", value)
        elif call.member == "StartTransientUnit":
            unit = strings_of(call.body, 1)[0]
            self.send(connection, REPLY, [reply], "o", JOB)
            fields = [(PATH, ("o", "/org/freedesktop/systemd1")), (INTERFACE, ("s", "org.freedesktop.systemd1.Manager")),
                      (MEMBER, ("s", "JobRemoved"))]
            self.send(connection, SIGNAL, fields, "uoss", 7, JOB, unit, self.job_result)
        else:
            no_unit = (ERROR_NAME, ("s", "org.freedesktop.systemd1.NoSuchUnit"))
            self.send(connection, ERROR, [no_unit, reply], "s", "no such unit")
