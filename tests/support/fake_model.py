# SPDX-License-Identifier: Apache-2.0
"""A model server on loopback for tests with real agents: says what the script in the prompt tells it to say.

Every line `RUN: <shell command>` of the newest prompt is one tool call, in order; after the last the answer is the text
`FAKE-DONE steps=N last=<tail of the last tool result>`. A prompt without such a line gets just that text. A request that
offers no shell tool (titles, summaries) gets a plain word. What was asked and answered is kept in `exchanges`.
"""
import dataclasses
import gzip
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import wire_formats
from waiting import Deadline

SHELL_TOOLS = ["exec_command", "shell_command", "local_shell", "shell", "Bash", "bash"]


@dataclasses.dataclass
class Exchange:
    path: str
    prompt: str
    results: list  # text of the tool results since the prompt
    said: object   # wire_formats.ToolCall or wire_formats.Text


def steps_of(prompt):
    return [step.strip().strip('"') for step in re.findall(r'^\s*"?RUN:\s*(.+)$', prompt, re.M)]


def decide(question):
    tool = next((name for name in SHELL_TOOLS if name in question.tools), None)
    if tool is None:
        return wire_formats.Text("title")
    steps = steps_of(question.prompt)
    done = len(question.results)
    if done < len(steps):
        return wire_formats.ToolCall(tool, shell_arguments(tool, question.tools[tool], steps[done]))
    last = question.results[-1].strip()[-300:] if question.results else ""
    return wire_formats.Text(f"FAKE-DONE steps={len(steps)} last={last}")


def shell_arguments(tool, properties, command):
    if tool == "exec_command" or ("cmd" in properties and "command" not in properties):
        return {"cmd": command}
    if properties.get("command", {}).get("type") == "array":
        return {"command": ["bash", "-lc", command]}
    arguments = {"command": command}
    if "description" in properties:
        arguments["description"] = "a step of the script"
    return arguments


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read_body(self):
        if "chunked" in (self.headers.get("Transfer-Encoding") or ""):
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def send_json(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_events(self, events):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for name, data in events:
            text = data if isinstance(data, str) else json.dumps(data)
            event = ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        if self.path.split("?")[0].endswith("/models"):
            names = ["claude-sonnet-4-5", "fake-model"]
            models = [{"id": name, "object": "model", "type": "model", "display_name": name} for name in names]
            self.send_json({"object": "list", "data": models, "models": []})
        else:
            self.send_json({"ok": True})

    def do_POST(self):
        body = json.loads(self.read_body() or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self.send_json({"input_tokens": 100})
            return
        wire = next((w for suffix, w in wire_formats.WIRES.items() if path.endswith(suffix)), None)
        if wire is None:
            self.send_json({"error": {"type": "not_found_error", "message": "no such path"}}, 404)
            return
        question = wire.read(body)
        said = decide(question)
        self.server.owner.record(Exchange(path, question.prompt, question.results, said))
        if body.get("stream"):
            self.send_events(wire.events(body, question, said))
        else:
            self.send_json(wire.whole(body, question, said))


class FakeModel:
    """`with FakeModel() as model:` listens at `model.url` on a free port until the block ends; or on a socket that listens already,
    which others know as `url`."""

    def __init__(self, listener=None, url=None):
        self.exchanges = []
        self.changed = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=listener is None)
        if listener is not None:
            self._server.socket.close()
            self._server.socket = listener
        self._server.daemon_threads = True
        self._server.owner = self
        self.url = url or f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def record(self, exchange):
        with self.changed:
            self.exchanges.append(exchange)
            self.changed.notify_all()

    def tool_results(self, marker):
        """The longest list of tool results seen for a prompt that holds `marker`."""
        return max((e.results for e in self.exchanges if marker in e.prompt), key=len, default=[])

    def wait_for(self, predicate, seconds=30.0, what="an exchange"):
        """Waits until predicate(exchanges) is true."""
        until = time.monotonic() + seconds
        with self.changed:
            while not (found := predicate(self.exchanges)):
                if not self.changed.wait(max(0.0, until - time.monotonic())) and time.monotonic() >= until:
                    raise Deadline(f"the model did not see {what} within {seconds} s; it saw {len(self.exchanges)} requests")
            return found
