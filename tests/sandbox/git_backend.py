# SPDX-License-Identifier: Apache-2.0
"""Bare repositories over HTTP as real servers have them: git http-backend(1), called by CGI (RFC 3875)."""
import os
import subprocess


def call(root, handler, body):
    """Answers a request of BaseHTTPRequestHandler for something below /git/."""
    path, _, query = handler.path.removeprefix("/git").partition("?")
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(root), "GIT_PROJECT_ROOT": str(root), "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": handler.command, "REMOTE_USER": "ada", "REMOTE_ADDR": "0.0.0.0",
        "CONTENT_TYPE": handler.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""), "GIT_PROTOCOL": handler.headers.get("Git-Protocol", ""),
    }
    done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True, check=True, timeout=60)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    handler.send_response(int(fields.pop("Status", "200 OK").split()[0]))
    for name, value in fields.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)
