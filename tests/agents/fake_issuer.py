# SPDX-License-Identifier: Apache-2.0
"""An OAuth server on loopback under the names that claude and codex ask for, and a browser that agrees to everything.

Needs a network and mount namespace of its own (offline): it takes port 443 and covers /etc/hosts.
"""
import base64
import http.server
import json
import pathlib
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from authority import Authority, server_context

HOSTS = ["auth.openai.com", "claude.com", "claude.ai", "platform.claude.com", "api.anthropic.com"]
REFRESH_TOKEN = "refresh-token-of-the-fake-issuer"


def encode(part):
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def jwt():
    """Unsigned: neither agent checks the signature of a token that came over TLS from its issuer."""
    claims = {"email": "ada@example.org", "exp": int(time.time()) + 3600, "iat": int(time.time()), "sub": "ada",
              "https://api.openai.com/auth": {"chatgpt_plan_type": "plus", "chatgpt_account_id": "account",
                                              "chatgpt_user_id": "ada", "user_id": "ada"}}
    return f"{encode({'alg': 'none', 'typ': 'JWT'})}.{encode(claims)}.{encode('none')}"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body=None, **headers):
        data = json.dumps(body or {}).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if not url.path.endswith("/oauth/authorize"):
            person = {"uuid": "ada", "email": "ada@example.org", "display_name": "Ada", "has_claude_pro": True}
            return self.answer(200, {"account": person, "organization": {"uuid": "o", "name": "o", "organization_type": "claude_pro"}})
        asked = dict(urllib.parse.parse_qsl(url.query))
        back = urllib.parse.urlencode({"code": "the-code", "state": asked["state"]})
        self.answer(302, Location=f"{asked['redirect_uri']}?{back}")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if not self.path.endswith("/oauth/token"):
            return self.answer(200)
        self.server.token_requests.append(body)
        token = jwt()
        self.answer(200, {"id_token": token, "access_token": token, "refresh_token": REFRESH_TOKEN, "expires_in": 3600,
                          "token_type": "Bearer", "scope": "user:inference user:profile",
                          "account": {"uuid": "ada", "email_address": "ada@example.org"},
                          "organization": {"uuid": "o", "name": "o"}})


class FakeIssuer:
    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="agentctl-issuer-", dir="/var/tmp")
        self.place = pathlib.Path(self.directory.name)

    def __enter__(self):
        issuer = Authority(self.place)
        self.authority = issuer.certificate
        certified = issuer.certify("server", HOSTS)
        hosts = self.place / "hosts"
        hosts.write_text("127.0.0.1 localhost\n" + "".join(f"127.0.0.1 {name}\n" for name in HOSTS))
        subprocess.run(["mount", "--bind", str(hosts), "/etc/hosts"], check=True)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Handler)
        self.server.token_requests = []
        self.server.socket = server_context(*certified).wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
        subprocess.run(["umount", "/etc/hosts"], check=True)
        self.directory.cleanup()

    def browse(self, url):
        """What the browser on the host does with the address that the agent gave: to the issuer, and back to the agent."""
        context = ssl.create_default_context(cafile=self.authority)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
        with opener.open(url, timeout=30) as answer:
            return answer.status, answer.geturl()
