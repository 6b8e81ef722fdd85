# SPDX-License-Identifier: Apache-2.0
"""--net allowlist: the tools of every day reach what is allowed, each in its own way: with the variables that tell it of a proxy, and
where it knows of none."""
import subprocess
import unittest

import package_registries
from door_case import DoorCase, allow
from lab_sshd import LabSshd
from net_lab_names import INTERNET

BARE = 'env -i PATH="$PATH" HOME="$HOME" CA="$CA"'
HELLO = ["hello from web.test by https", "hello from web.test by http"]
URLS = "https://web.test/ http://web.test/"

NODE = """
(async () => {
  for (const url of process.argv.slice(2)) console.log((await (await fetch(url)).text()).trim());
  for (const url of process.argv.slice(2)) await new Promise((done, failed) => {
    require(url.split(':')[0]).get(url, answer => answer.on('data', text => { console.log(String(text).trim()); done(); })).on('error', failed);
  });
})().catch(error => { console.error(error); process.exit(1); });
"""
REQUESTS = "import requests, sys\nfor url in sys.argv[2:]: print(requests.get(url, verify=sys.argv[1], timeout=20).text.strip())\n"
HTTPX = "import httpx, sys\nfor url in sys.argv[2:]: print(httpx.get(url, verify=sys.argv[1], timeout=20).text.strip())\n"
ASYNC_HTTPX = """
import asyncio, httpx, sys
async def main():
    async with httpx.AsyncClient(verify=sys.argv[1], timeout=20) as client:
        for answer in await asyncio.gather(*(client.get(url) for url in sys.argv[2:])): print(answer.text.strip())
asyncio.run(main())
"""
JAVA = """
import java.net.*;
import java.net.http.*;
public class Fetch {
  public static void main(String[] urls) throws Exception {
    for (String url : urls) System.out.println(new String(new URL(url).openStream().readAllBytes()).trim());
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (String url : urls)
      System.out.println(client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString()).body().trim());
  }
}
"""
GO = """package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func fetch(client *http.Client, url string) {
	answer, err := client.Get(url)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	text, _ := io.ReadAll(answer.Body)
	fmt.Print(string(text))
}

func main() {
	for _, url := range os.Args[1:] {
		fetch(http.DefaultClient, url)
	}
	for _, url := range os.Args[1:] {
		fetch(&http.Client{Transport: &http.Transport{}}, url) // which knows of no proxy
	}
}
"""


class Tools(DoorCase):
    def write(self, name, text):
        (self.project / name).write_text(text)

    def both(self, command, wanted, *hosts, seconds=180, before=""):
        """The command says the same with proxy variables and without."""
        said = self.said(f"{before}{command} && {BARE} {command}", *allow(*hosts or ("web.test",)), seconds=seconds)
        self.assertEqual(said.splitlines(), wanted * 2)
        addresses = {address for address, _ in self.look().connections()}
        self.assertEqual(addresses, {INTERNET})

    def refused(self, command, seconds=180):
        """What is not allowed is not reached, and the tool ends with a failure."""
        for each in (command, f"{BARE} {command}"):
            done = self.run_inside(each, *allow("web.test"), seconds=seconds)
            self.assertNotEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        self.assert_untouched()

    def test_curl(self):
        self.both(f"curl -sS --max-time 20 --cacert $CA {URLS}", HELLO)
        self.refused("curl -sS --fail --max-time 20 --cacert $CA https://other.test/")

    def test_node_by_fetch_and_by_its_older_modules(self):
        self.write("fetch.js", NODE)
        self.both(f"env NODE_EXTRA_CA_CERTS=$CA node fetch.js {URLS}", HELLO * 2)
        self.refused("env NODE_EXTRA_CA_CERTS=$CA node fetch.js https://other.test/")

    def test_python_by_requests_and_by_httpx(self):
        for name, text in (("by_requests.py", REQUESTS), ("by_httpx.py", HTTPX), ("by_async_httpx.py", ASYNC_HTTPX)):
            with self.subTest(program=name):
                self.write(name, text)
                self.both(f"/usr/bin/python3 {name} $CA {URLS}", HELLO)
                self.refused(f"/usr/bin/python3 {name} $CA https://other.test/")

    def test_java_by_its_older_and_its_newer_client(self):
        self.write("Fetch.java", JAVA)
        store = self.project / "trust.store"
        subprocess.run(["keytool", "-importcert", "-noprompt", "-storetype", "PKCS12", "-keystore", store, "-storepass", "changeit", "-file",
                        self.certificate], check=True, capture_output=True, timeout=60)
        subprocess.run(["javac", "-d", self.project, self.project / "Fetch.java"], check=True, capture_output=True, timeout=120)
        java = "java -Djavax.net.ssl.trustStore=trust.store -Djavax.net.ssl.trustStorePassword=changeit -cp . Fetch"
        self.both(f"{java} {URLS}", HELLO * 2)
        self.refused(f"{java} https://other.test/")

    def test_go_with_its_usual_client_and_with_one_that_knows_of_no_proxy(self):
        self.write("fetch.go", GO)
        environment = {"HOME": str(self.machine.root), "PATH": "/usr/bin:/bin", "GOCACHE": str(self.machine.root / "go-cache"), "CGO_ENABLED": "0"}
        subprocess.run(["go", "build", "-o", self.project / "fetch", self.project / "fetch.go"], env=environment, check=True, timeout=200)
        self.both(f"env SSL_CERT_FILE=$CA ./fetch {URLS}", HELLO * 2)
        self.refused("env SSL_CERT_FILE=$CA ./fetch https://other.test/")


class Registries(DoorCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        files = cls.lab.served / "files"
        package_registries.npm(files, "https://registry.test/files")
        package_registries.simple_index(files)

    def both(self, command, *hosts):
        for prefix in ("", f"{BARE} "):
            with self.subTest(prefix=prefix):
                said = self.said(f"rm -rf got; mkdir got; cd got; export CA; {prefix}{command}", *allow(*hosts), seconds=180)
                self.assertEqual(said.splitlines()[-1], "from the lab")
                self.assertEqual({address for address, _ in self.look().connections()}, {INTERNET})

    def test_npm_installs_from_a_registry(self):
        options = "--registry=https://registry.test/files/npm/ --cafile=$CA --no-audit --no-fund --cache=.cache --loglevel=error"
        program = f"console.log(require('{package_registries.NAME}').slice(9))"
        self.both(f'sh -c "npm install {options} {package_registries.NAME} >&2 && node -e \\"{program}\\""', "registry.test")

    def test_npm_installs_nothing_from_a_registry_that_is_not_allowed(self):
        options = "--registry=https://registry.test/files/npm/ --cafile=$CA --no-audit --no-fund --cache=.cache --fetch-retries=0"
        done = self.run_inside(f"npm install {options} {package_registries.NAME}", *allow("web.test"), seconds=180)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout + done.stderr, "403|ENOTFOUND")
        self.assert_untouched()

    def test_pip_installs_from_an_index(self):
        options = "--index-url https://pypi.test/files/simple/ --cert $CA --no-cache-dir --disable-pip-version-check --quiet --target ."
        program = f"import {package_registries.NAME.replace('-', '_')} as tiny; print(tiny.said[9:])"
        self.both(f'sh -c "/usr/bin/python3 -m pip install {options} {package_registries.NAME} >&2 && /usr/bin/python3 -c \\"{program}\\""', "pypi.test")

    def test_pip_installs_nothing_from_an_index_that_is_not_allowed(self):
        options = "--index-url https://pypi.test/files/simple/ --cert $CA --no-cache-dir --disable-pip-version-check --retries 0 --target ."
        done = self.run_inside(f"/usr/bin/python3 -m pip install {options} {package_registries.NAME}", *allow("web.test"), seconds=180)
        self.assertNotEqual(done.returncode, 0)
        self.assert_untouched()


class Git(DoorCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bare = cls.lab.make_repository("shop.git")

    def clone_and_push(self, url, branch, *options, bare_words=""):
        script = (f"rm -rf copy && git clone -q {url} copy && cd copy && cat file && git switch -qc {branch} && echo more > {branch} && git add . && "
                  f"git -c user.name=ada -c user.email=ada@example.org commit -qm {branch} && git push -q origin {branch}")
        (self.project / "go.sh").write_text(f"set -e\n{script}\n")
        said = self.said(f"{bare_words} sh go.sh", *options)
        self.assertEqual(said, "from the internet\n")
        log = subprocess.run(["git", "-C", self.bare, "log", "-1", "--format=%s", branch], capture_output=True, text=True, check=True, timeout=20)
        self.assertEqual(log.stdout.strip(), branch)

    def test_git_clones_and_pushes_over_https_and_http(self):
        for scheme, port in (("https", 443), ("http", 80)):
            for way, words in (("proxy", "env GIT_SSL_CAINFO=$CA"), ("bare", f"{BARE} GIT_SSL_CAINFO=$CA")):
                with self.subTest(scheme=scheme, way=way):
                    self.clone_and_push(f"{scheme}://git.test/git/shop.git", f"{scheme}-{way}", *allow("git.test"), bare_words=words)
                    self.assert_web_reached(port, "git.test")

    def test_git_clones_and_pushes_over_ssh(self):
        keys = self.project / "keys"
        keys.mkdir()
        with LabSshd(self.lab, keys, "git.test") as sshd:
            url = f"ssh://root@git.test{self.bare}"
            self.clone_and_push(url, "ssh-own", *allow("git.test:22"), "--env", f"GIT_SSH_COMMAND={sshd.command}")
            self.assert_web_reached(22, "git.test")
            self.clone_and_push(url, "ssh-bare", *allow("git.test:22"), bare_words=f'{BARE} GIT_SSH_COMMAND="{sshd.command}"')
            self.clone_and_push(f"root@git.test:{self.bare}", "ssh-short", *allow("git.test:22"), "--env", f"GIT_SSH_COMMAND={sshd.command}")
            self.look()
            done = self.run_inside(f"GIT_SSH_COMMAND='{sshd.command}' git ls-remote {url}", *allow("git.test"))  # the web's ports alone
            self.assertNotEqual(done.returncode, 0)
            self.assert_untouched()

    def test_git_reaches_no_host_that_is_not_allowed(self):
        for url in ("https://git.test/git/shop.git", "http://git.test/git/shop.git", f"ssh://root@git.test{self.bare}", "git://git.test/shop.git"):
            with self.subTest(url=url):
                done = self.run_inside(f"GIT_SSL_CAINFO=$CA git ls-remote {url}", *allow("web.test"))
                self.assertNotEqual(done.returncode, 0)
                self.assert_untouched()


if __name__ == "__main__":
    unittest.main()
