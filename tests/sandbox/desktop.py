# SPDX-License-Identifier: Apache-2.0
"""A graphical login: a display, a terminal emulator, and the environment that a login gives to what a menu starts.

That environment has no PATH of a shell's start-up files: the agent lies in ~/.local/bin, which PATH does not name.
"""
import os
import pathlib
import subprocess

import processes
from machine import Machine
from virtual_display import VirtualDisplay
from waiting import wait_for_end, wait_for_file

# What a session shows in its window: a colour that no terminal has by itself.
COLOUR = (0x12, 0x8A, 0x4C)
BAND = "\\033[48;2;18;138;76m%60s\\033[0m\\n"
# Says in the project that it runs there, draws, and waits.
AGENT = f"""#!/bin/sh
i=0; while [ $i -lt 6 ]; do printf '{BAND}' ' '; i=$((i + 1)); done
echo "$0" > .agent
exec /usr/bin/sleep 1000
"""
# Says that it ran, and ends.
QUIET = "#!/bin/sh\necho \"$0\" > .agent\n"
# Takes down its arguments, and answers with the text that the test has laid down for this call; none: it was closed.
STUB = """#!/bin/sh
n=0; while ! /usr/bin/mkdir "{calls}/$n" 2>/dev/null; do n=$((n + 1)); done
printf '%s\\0' "$0" "$@" > "{calls}/$n/argv.new"; /usr/bin/mv "{calls}/$n/argv.new" "{calls}/$n/argv"
[ -e "{calls}/answer-$n" ] || exit {status}
exec /usr/bin/cat "{calls}/answer-$n"
"""


class Desktop(Machine):
    """`with Desktop() as desktop:` everything in it is gone afterwards. Programs are those in `programs` alone, in front of
    the system's unless alone=True."""

    def __init__(self, alone=False):
        super().__init__()
        self.programs = self.root / "programs"
        self.programs.mkdir()
        self.calls = self.root / "calls"
        self.calls.mkdir()
        self.agent = self.add_agent("claude")
        self.display = VirtualDisplay()
        self.environment = {
            "HOME": str(self.home), "USER": "ada", "LOGNAME": "ada", "SHELL": "/bin/bash", "LANG": "C.UTF-8",
            "PATH": str(self.programs) if alone else f"{self.programs}:/usr/local/bin:/usr/bin:/bin:/usr/games",
            "XDG_RUNTIME_DIR": str(self.runtime), "XDG_SESSION_TYPE": "x11", "XDG_CURRENT_DESKTOP": "XFCE", "TERMINAL": "xterm",
        }
        self.add_link("xterm")

    def __enter__(self):
        self.display.__enter__()
        self.environment["DISPLAY"] = self.display.name
        return self

    def __exit__(self, *error):
        self.display.__exit__(*error)  # every window, and what runs in it
        super().__exit__(*error)

    def add_agent(self, name, script=AGENT):
        path = self.home / ".local/bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
        return path

    def add_link(self, name):
        (self.programs / name).symlink_to(f"/usr/bin/{name}")

    def add_stub(self, name, *answers, status=1):
        """A program of the desktop's that answers as a user would; call_of() tells how it was called."""
        stub = self.programs / name
        stub.write_text(STUB.format(calls=self.calls, status=status))
        stub.chmod(0o755)
        for number, answer in enumerate(answers):
            if answer is not None:
                (self.calls / f"answer-{number}").write_bytes(os.fsencode(answer) + b"\n")

    def call(self, number):
        """The words of a stub's call, the first its name."""
        words = wait_for_file(str(self.calls / str(number) / "argv"), 30).split("\0")[:-1]
        return [os.path.basename(words[0]), *words[1:]]

    def launch(self, *arguments, **options):
        return self.run("launch", *arguments, **options)

    def wait_for_agent(self, project):
        """Waits until an agent says on the host that it runs in `project`; gives the program that it is."""
        return wait_for_file(os.path.join(project, ".agent"), 30).strip()

    def programs_named(self, name):
        return [pid for pid in self.processes() if os.path.basename((processes.arguments(pid) or [""])[0]) == name]

    def window_program(self):
        """What runs in a window: agentctl, the parent of the session."""
        return [pid for pid in self.processes() if "in-window" in processes.arguments(pid)[1:2]]

    def wait_until_nothing_runs(self):
        for pid in self.processes():
            wait_for_end(pid, 20)
        assert self.sessions() == [], self.sessions()


def install(prefix):
    """What `make install` installs."""
    build = pathlib.Path(os.environ["AGENTCTL"]).parent
    done = subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stderr


def used(machine, *names):
    """Projects, each used once; the last of them was used last."""
    projects = []
    for name in names:
        project = machine.home / "dev" / name
        project.mkdir(parents=True)
        done = machine.run("start", "-q", "-C", str(project), "-p", "claude")
        assert done.returncode == 0, done.stderr
        (project / ".agent").unlink()
        projects.append(project)
    return projects


def used_before(desktop):
    """Two projects of an earlier day, whose agent ended by itself."""
    desktop.add_agent("claude", QUIET)
    used(desktop, "old", "new")
    desktop.add_agent("claude")
