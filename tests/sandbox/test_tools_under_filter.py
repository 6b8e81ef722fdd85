# SPDX-License-Identifier: Apache-2.0
"""Compilers, debuggers, runtimes and a browser do their work in a session, under both filters and without a network."""
import subprocess
import unittest

from machine import Machine
from ordinary_user import OrdinaryUser
from test_key_agents import allow

SECONDS = 150
CHROMIUM = "chromium-headless-shell --disable-gpu --virtual-time-budget=5000 --user-data-dir=/tmp/profile"
PAGE = "<body><script>document.body.append('js ran: ' + 6 * 7)</script></body>\n"
PNG = b"\x89PNG\r\n\x1a\n"

ANSWER_C = """
#include <stdio.h>
#include <stdlib.h>
int answer(int six) {
  int product = six * 7;
  return product;
}
int main(int argc, char** argv) {
  char* block = malloc(7);
  if (argc > 1) block[atoi(argv[1])] = 1;
  printf("%d\\n", answer(6));
  block = NULL;
  return 0;
}
"""

NODE = """
const {Worker} = require('worker_threads'), {execFileSync} = require('child_process');
const http = require('http'), fs = require('fs'), os = require('os');
new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", {eval: true}).on('message', number => {
  const server = http.createServer((asked, answer) => answer.end('page')).listen(0, '127.0.0.1', () => {
    http.get({host: '127.0.0.1', port: server.address().port, agent: false}, answer => answer.on('data', text => {
      const watch = fs.watch('.', (event, name) => {
        if (name !== 'made') return;
        watch.close();
        server.close();
        console.log(number, String(text), 'lo' in os.networkInterfaces());
      });
      execFileSync('touch', ['made']);
    }));
  });
});
"""

PYTHON = """
import asyncio, multiprocessing, os, pty, threading

async def talk():
    async def answer(reader, writer):
        writer.write((await reader.readline()).upper())
        writer.close()
    async with await asyncio.start_unix_server(answer, "/tmp/socket"):
        reader, writer = await asyncio.open_unix_connection("/tmp/socket")
        writer.write(b"heard\\n")
        return (await reader.readline()).decode().strip()

if __name__ == "__main__":
    with multiprocessing.Pool(4) as pool:
        squares = sum(pool.map(abs, range(-9, 0)))
    thread = threading.Thread(target=os.system, args=("touch made",))
    thread.start()
    thread.join()
    print(squares, asyncio.run(talk()), os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", "test -t 0"])))
"""

MAKEFILE = """
parts := $(foreach at,1 2 3 4 5 6 7 8,part$(at))
all: $(parts)
\tcat $(parts) > all
part%: answer.c
\tgcc -o $@.out answer.c
\t./$@.out > $@
"""

GO = {"go.mod": "module local/app\n\ngo 1.19\n",
      "part/part.go": "package part\n\nfunc Product(a, b int) int { return a * b }\n",
      "part/part_test.go": """package part

import "testing"

func TestProduct(t *testing.T) {
	if Product(6, 7) != 42 {
		t.Fatal("wrong")
	}
}
""",
      "main.go": """package main

import (
	"fmt"
	"os/exec"
	"sync"

	"local/app/part"
)

func main() {
	var group sync.WaitGroup
	sums := make([]int, 8)
	for at := range sums {
		group.Add(1)
		go func(at int) {
			defer group.Done()
			sums[at] = part.Product(6, 7)
		}(at)
	}
	group.Wait()
	said, err := exec.Command("echo", "child").Output()
	fmt.Print(sums[7], " ", err, " ", string(said))
}
"""}

CARGO = {"Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\npart = { path = "part" }\n',
         "build.rs": 'fn main() { println!("cargo:rustc-env=BUILT=yes"); }\n',
         "src/main.rs": """fn main() {
    let threads: Vec<_> = (0..8).map(|at| std::thread::spawn(move || part::product(6, at))).collect();
    let sums: Vec<i32> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    println!("{} {}", sums[7], env!("BUILT"));
}
""",
         "part/Cargo.toml": '[package]\nname = "part"\nversion = "0.1.0"\nedition = "2021"\n',
         "part/src/lib.rs": "pub fn product(a: i32, b: i32) -> i32 {\n    a * b\n}\n"}

JAVA = """
import java.util.stream.IntStream;
public class Main {
  public static void main(String[] words) throws Exception {
    int[] heard = new int[1];
    Thread thread = new Thread(() -> heard[0] = IntStream.range(0, 9).parallel().map(at -> at * 7).sum() / 6);
    thread.start();
    thread.join();
    Process child = new ProcessBuilder("echo", "child").start();
    System.gc();
    System.out.println(heard[0] + " " + new String(child.getInputStream().readAllBytes()).trim());
  }
}
"""


class ToolCase(unittest.TestCase):
    machine_class = Machine

    def setUp(self):
        self.machine = self.machine_class()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project

    def write(self, files):
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def start(self, script, *options):
        filtered = "grep -q '^Seccomp:.2' /proc/self/status || exit 99; "
        return self.machine.start(filtered + script, "-q", "--net", "none", *options, seconds=SECONDS)

    def told(self, script, *options):
        """What the script prints, which must end well."""
        done = self.start(script, *options)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        return done.stdout


class Interpreters(ToolCase):
    def test_node_has_workers_watches_children_and_sockets(self):
        self.write({"app.js": NODE})
        self.assertEqual(self.told("node app.js"), "42 page true\n")
        self.assertTrue((self.project / "made").exists())

    def test_python_has_processes_threads_sockets_and_terminals(self):
        self.write({"app.py": PYTHON})
        self.assertEqual(self.told("python3 app.py"), "45 HEARD 0\n")
        self.assertTrue((self.project / "made").exists())

    def test_a_java_machine_compiles_and_runs_threads_and_children(self):
        self.write({"Main.java": JAVA})
        self.assertEqual(self.told("javac Main.java && java Main"), "42 child\n")
        self.assertTrue((self.project / "Main.class").exists())


class Builds(ToolCase):
    def test_git_commits_packs_and_makes_working_trees(self):
        self.told("git init -q . && echo one > one && git add one && git -c user.name=a -c user.email=a@b commit -qm one && "
                  "git worktree add -q -b side ../side && git switch -qc other && git gc -q && git fsck --strict")
        log = subprocess.run(["git", "-C", self.project, "log", "--format=%s", "other"], capture_output=True, text=True, check=True)
        self.assertEqual(log.stdout, "one\n")

    def test_make_runs_jobs_beside_each_other(self):
        self.write({"answer.c": ANSWER_C, "Makefile": MAKEFILE})
        self.told("make -j4")
        self.assertEqual((self.project / "all").read_text(), "42\n" * 8)

    def test_go_builds_a_module_of_two_packages_and_tests_it(self):
        self.write(GO)
        self.assertEqual(self.told("go vet ./... && go test ./part >&2 && go build -o app . && ./app"), "42 <nil> child\n")
        self.assertTrue((self.project / "app").exists())

    def test_cargo_builds_a_crate_with_a_part_and_a_build_script(self):
        self.write(CARGO)
        self.assertEqual(self.told("cargo build --offline >&2 && target/debug/app"), "42 yes\n")


class Debuggers(ToolCase):
    def build(self, options):
        self.write({"answer.c": ANSWER_C})
        self.told(f"gcc -g -O0 {options} -o answer answer.c")

    def test_the_address_sanitizer_reports_an_overflow(self):
        self.build("-fsanitize=address")
        done = self.start("ASAN_OPTIONS=detect_leaks=0 ./answer 7")
        self.assertIn("heap-buffer-overflow", done.stderr)
        self.assertIn("answer.c:10", done.stderr)

    def test_the_leak_sanitizer_stops_the_program_and_reports_a_leak(self):
        self.build("-fsanitize=address")
        done = self.start("./answer")
        self.assertNotIn("LeakSanitizer has encountered a fatal error", done.stderr)  # it cannot trace
        self.assertIn("Direct leak of 7 byte(s)", done.stderr)

    def test_gdb_stops_at_a_breakpoint_and_reads_a_variable(self):
        self.build("")
        said = self.told("gdb -nx -batch -ex 'break answer' -ex run -ex bt -ex finish ./answer 2>&1")
        self.assertIn("Breakpoint 1, answer (six=6) at answer.c:5", said)
        self.assertIn("main (argc=1", said)
        self.assertIn("Value returned is $1 = 42", said)

    def test_strace_follows_children(self):
        self.told("strace -f -qq -e trace=execve -o trace sh -c '/usr/bin/true; exit 0'")
        trace = (self.project / "trace").read_text()
        self.assertIn('execve("/usr/bin/true"', trace)
        self.assertGreater(len({line.split()[0] for line in trace.splitlines()}), 1)


class Terminals(ToolCase):
    def test_tmux_runs_a_shell_in_a_window_that_can_be_read(self):
        window = 'echo $((6 * 7)) seen; tmux wait-for -S said; read line; echo "got $line"; tmux wait-for -S heard; exec cat'
        said = self.told(f"tmux -f /dev/null new-session -d -x 80 -y 24 '{window}' && tmux wait-for said && "
                         "tmux send-keys typed Enter && tmux wait-for heard && tmux capture-pane -p && tmux kill-server")
        self.assertEqual(said.split("\n")[:3], ["42 seen", "typed", "got typed"])


class Browser(ToolCase):
    def test_a_headless_browser_runs_scripts_and_draws(self):
        self.write({"page.html": PAGE})
        address = (self.project / "page.html").as_uri()
        self.assertIn("js ran: 42", self.told(f"{CHROMIUM} --no-sandbox --dump-dom {address}"))
        self.told(f"{CHROMIUM} --no-sandbox --screenshot=shot.png --window-size=320,200 {address}")
        self.assertEqual((self.project / "shot.png").read_bytes()[:8], PNG)


class OwnSandbox(ToolCase):
    machine_class = OrdinaryUser

    def dump(self):
        self.write({"page.html": PAGE})
        self.machine.give_away()
        return self.start(f"{CHROMIUM} --dump-dom {(self.project / 'page.html').as_uri()}")

    def test_with_the_opt_in_a_browser_has_its_own_sandbox(self):
        allow(self.machine, "nested = true")
        done = self.dump()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("js ran: 42", done.stdout)

    def test_without_it_the_browser_says_that_it_has_none_and_draws_nothing(self):
        done = self.dump()
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("js ran", done.stdout)
        self.assertIn("No usable sandbox", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
