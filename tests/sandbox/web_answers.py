# SPDX-License-Identifier: Apache-2.0
"""What the internet's web server answers.

    /              says which host was asked for, by which scheme
    /bytes/N       N bytes                       /upload      (POST, PUT) how many bytes came, and their SHA-256
    /events/NAME   server-sent events without end: one at once, one more for each request for /go/NAME
    /held/NAME     a byte, and another after a request for /go/NAME; then the end
    /websocket     an echo                       /head        the request's head as it came
    /git/…         repositories                  /files/…     files
"""
import collections
import hashlib
import http.server
import json
import pathlib
import threading

import git_backend
import websocket_frames

BLOCK = bytes(range(256)) * 256
gates = collections.defaultdict(lambda: threading.Semaphore(0))  # by NAME
telling = threading.Lock()


def say(line):
    with telling:
        print(json.dumps(line), flush=True)


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read_body(self, take):
        """Gives the body to take(), in pieces."""
        if "chunked" in (self.headers.get("Transfer-Encoding") or ""):
            while size := int(self.rfile.readline().split(b";")[0], 16):
                take(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers.get("Content-Length") or 0)
        while left > 0 and (piece := self.rfile.read(min(left, 1 << 20))):
            left -= len(piece)
            take(piece)

    def answer(self, body, kind="text/plain", status=200):
        data = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def begin_stream(self, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def handle_request(self):
        path = self.path.split("?")[0]
        say({"kind": "request", "scheme": self.server.scheme, "host": self.headers.get("Host"), "method": self.command, "path": path})
        word = path.split("/")[1]
        if word == "upload":
            return self.take_upload()
        body = []
        self.read_body(body.append)
        own = getattr(self, f"answer_{word}", None) if word else self.answer_root
        if own is None:
            return self.answer("no such path\n", status=404)
        return own(path, b"".join(body))

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = handle_request

    def answer_root(self, _path, _body):
        self.answer(f"hello from {self.headers.get('Host')} by {self.server.scheme}\n")

    def answer_bytes(self, path, _body):
        left = int(path.split("/")[2])
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        while left > 0:
            left -= self.wfile.write(memoryview(BLOCK)[:left])

    def take_upload(self):
        digest, sizes = hashlib.sha256(), []

        def take(piece):
            digest.update(piece)
            sizes.append(len(piece))
        self.read_body(take)
        self.answer(f"{sum(sizes)} {digest.hexdigest()}\n")

    def answer_go(self, path, _body):
        gates[path.split("/")[2]].release()
        self.answer("gone on\n")

    def answer_events(self, path, _body):
        self.begin_stream("text/event-stream")
        number = 0
        while True:
            number += 1
            self.wfile.write(f"data: event {number}\n\n".encode())
            gates[path.split("/")[2]].acquire()

    def answer_held(self, path, _body):
        self.begin_stream("application/octet-stream")
        self.wfile.write(b"1")
        gates[path.split("/")[2]].acquire()
        self.wfile.write(b"2")

    def answer_websocket(self, _path, _body):
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", websocket_frames.accept_of(self.headers["Sec-WebSocket-Key"]))
        self.end_headers()
        self.close_connection = True
        websocket_frames.echo(self.rfile, self.wfile.write)

    def answer_head(self, _path, _body):
        self.answer(json.dumps({"request": self.requestline, "fields": self.headers.items()}), "application/json")

    def answer_git(self, _path, body):
        git_backend.call(self.server.directory, self, body)

    def answer_files(self, path, _body):
        root = pathlib.Path(self.server.directory, "files").resolve()
        place = (root / path.removeprefix("/files/")).resolve()
        file = next((found for found in (place, place / "index.html", place.with_name(place.name + ".json")) if found.is_file()), None)
        if file and root in file.parents:
            kind = {".html": "text/html", ".json": "application/json"}.get(file.suffix, "application/octet-stream")
            return self.answer(file.read_bytes(), kind)
        return self.answer("no such file\n", status=404)
