# SPDX-License-Identifier: Apache-2.0
"""Sockets inside a session, as if they were the test's own: what goes over them is chosen outside, byte by byte."""
import base64
import itertools
import json
import pathlib
import select
import shutil
import subprocess

from waiting import Deadline

INSIDE = pathlib.Path(__file__).resolve().parent / "caller_inside.py"
PROXY = ("127.0.0.1", 3128)
SECONDS = 20


class Refused(Exception):
    """The kernel's word for it: "ECONNREFUSED"."""

    def __init__(self, word, took):
        super().__init__(word)
        self.word, self.took = word, took


class Peer:
    """One end of a connection. What receive() gave last ended by `ended`: None, "end", "time", "ECONNRESET"."""

    def __init__(self, caller, number):
        self.caller, self.number, self.ended, self.took = caller, number, None, 0.0

    def send(self, data):
        """Whether all of it went; a peer that has gone is no fault of the test's."""
        return "error" not in self.caller.ask("send", may_fail=True, number=self.number, data=base64.b64encode(data).decode())

    def receive(self, size=1 << 20, until=b"", seconds=SECONDS):
        """Until the end, unless there is a size or something to look for; short when there is no more."""
        answer = self.caller.ask("receive", may_fail=True, number=self.number, size=size, until=base64.b64encode(until).decode(), seconds=seconds)
        self.ended, self.took = answer["ended"], answer["took"]
        return base64.b64decode(answer["data"])

    def finish(self):
        """No more is sent."""
        self.caller.ask("finish", number=self.number)

    def close(self):
        self.caller.ask("close", number=self.number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Caller:
    """`with Caller(machine, *options) as caller:` a session named `name`; gone after the block."""

    def __init__(self, machine, *options, name="s", **popen_options):
        self.machine, self.name = machine, name
        self.numbers = itertools.count()
        shutil.copy(INSIDE, machine.project)
        argv = ("start", "--name", name, "-q", *options, "--", "python3", INSIDE.name)
        self.process = machine.popen(*argv, stdin=subprocess.PIPE, **popen_options)

    def __enter__(self):
        try:
            self.hear()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(SECONDS)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()

    def hear(self, seconds=SECONDS + 10):
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise Deadline(f"the session said nothing within {seconds} s")
        line = self.process.stdout.readline()
        if not line:
            raise Deadline(f"the session has ended: {self.process.stderr.read()}")
        return json.loads(line)

    def ask(self, call, may_fail=False, **words):
        self.process.stdin.write(json.dumps({"call": call, **words}) + "\n")
        self.process.stdin.flush()
        answer = self.hear(words.get("seconds", SECONDS) + 10)
        if "error" in answer and not may_fail:
            raise Refused(answer["error"], answer["took"])
        return answer

    def connect(self, address=PROXY[0], port=PROXY[1], kind="stream"):
        number = next(self.numbers)
        self.ask("connect", number=number, address=address, port=port, kind=kind)
        return Peer(self, number)

    def send_raw(self, address, protocol):
        self.ask("send_raw", address=address, protocol=protocol)

    def status(self):
        return self.machine.status(self.name)

    def log(self):
        """What the door has told, an object each."""
        done = self.machine.run("logs", self.name, "--net")
        if done.returncode != 0:
            raise AssertionError(f"logs --net: {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]
