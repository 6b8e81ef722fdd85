# SPDX-License-Identifier: Apache-2.0
"""web_server.py ADDRESS6 CERTIFICATE KEY DIRECTORY: the internet's web server: HTTP on port 80 and HTTPS on 443 of an IPv4
and an IPv6 address. What it has is in web_answers.py, git repositories and files in DIRECTORY. Says each request as a line of JSON."""
import http.server
import json
import socket
import ssl
import sys
import threading

import web_answers
from net_lab_names import INTERNET


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def __init__(self, address, port, context, directory):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), web_answers.Answers)
        self.scheme = "https" if context else "http"
        self.directory = directory
        if context:  # the handshake waits for its peer in the thread of its own
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def shutdown_request(self, request):
        if isinstance(request, ssl.SSLSocket):
            try:
                request.settimeout(2)
                request.unwrap()  # says that this was all
            except (OSError, ValueError):
                pass
        super().shutdown_request(request)

    def handle_error(self, request, client_address):
        pass  # a peer that goes away


def main(address6, certificate, key, directory):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    servers = [Server(address, port, over, directory) for address in (INTERNET, address6) for port, over in ((80, None), (443, context))]
    print(json.dumps({"kind": "ready"}), flush=True)
    threads = [threading.Thread(target=server.serve_forever) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
