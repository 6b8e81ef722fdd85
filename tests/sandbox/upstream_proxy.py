# SPDX-License-Identifier: Apache-2.0
"""upstream_proxy.py ADDRESS PORT LOGIN: a company's proxy, by which alone the internet is to be reached: CONNECT and plain HTTP
(RFC 9110), by name, for those who know LOGIN ("user:password"). Says each request as a line of JSON."""
import base64
import http.server
import json
import select
import socket
import sys
import urllib.parse

import net_lab_names

PLACES = net_lab_names.Names()


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    rbufsize = 0  # nothing behind the head is taken with it

    def log_message(self, *_):
        pass

    def is_known(self):
        given = self.headers.get("Proxy-Authorization")
        wanted = "Basic " + base64.b64encode(self.server.login.encode()).decode()
        is_known = given == wanted
        line = {"kind": "request", "method": self.command, "target": self.path, "login": given, "is_known": is_known}
        print(json.dumps(line), flush=True)
        if not is_known:
            self.send_response(407)
            self.send_header("Proxy-Authenticate", 'Basic realm="company"')
            self.send_header("Content-Length", "0")
            self.end_headers()
        return is_known

    def reach(self, host, port):
        found = PLACES.find(host.lower(), net_lab_names.A) or []
        return socket.create_connection((found[0], port), 20)

    def relay(self, far):
        """Both ways, until both have ended."""
        near, going = self.connection, {self.connection, far}
        with far:
            while far in going:
                for end in select.select(going, [], [])[0]:
                    other = far if end is near else near
                    if piece := end.recv(65536):
                        other.sendall(piece)
                    else:
                        other.shutdown(socket.SHUT_WR)
                        going.remove(end)

    def do_CONNECT(self):
        self.close_connection = True
        if not self.is_known():
            return
        host, _, port = self.path.rpartition(":")
        far = self.reach(host, int(port))
        self.send_response(200)
        self.end_headers()
        self.relay(far)

    def do_GET(self):
        self.close_connection = True
        if not self.is_known():
            return
        url = urllib.parse.urlsplit(self.path)
        far = self.reach(url.hostname, url.port or 80)
        far.sendall(f"GET {url.path or '/'} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
        self.relay(far)


def main(address, port, login):
    server = http.server.ThreadingHTTPServer((address, int(port)), Proxy)
    server.daemon_threads = True
    server.login = login
    server.handle_error = lambda *_: None
    print(json.dumps({"kind": "ready"}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
