# SPDX-License-Identifier: Apache-2.0
"""The house keeps its own rules: sizes and first lines of files, scripts, units, and a man page that says what --help says."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ("*.cpp", "*.h", "*.c", "*.py")
MOST_LINES = 400
VERBS = ("start", "stop", "pause", "resume", "set", "exec", "attach", "logs", "status", "cgroup", "receipt",
         "explain", "probe", "trust", "profile", "completion", "launch", "serve")


def files(*patterns):
    skipped = {"build", ".git", ".cache"}
    return [path for pattern in patterns for path in sorted(ROOT.rglob(pattern))
            if not skipped & set(path.relative_to(ROOT).parts) and path.is_file()]


def scripts():
    found = []
    for path in files("*"):
        with open(path, "rb") as file:
            if re.match(rb"#!.*\b(ba)?sh\b", file.readline()):
                found.append(path)
    return found


def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


class House(unittest.TestCase):
    def test_no_source_is_longer_than_400_lines(self):
        long = {str(path.relative_to(ROOT)): count for path in files(*SOURCES) + scripts()
                if (count := len(path.read_text().splitlines())) > MOST_LINES}
        self.assertEqual(long, {})

    def test_every_source_names_its_licence_first(self):
        bare = [str(path.relative_to(ROOT)) for path in files(*SOURCES) + scripts()
                if not any("SPDX-License-Identifier: Apache-2.0" in line for line in path.read_text().splitlines()[:2])]
        self.assertEqual(bare, [])

    def test_sources_are_formatted(self):
        sources = [str(path) for path in files("*.cpp", "*.h")]
        done = run("clang-format", "--dry-run", "--Werror", *sources)
        self.assertEqual(done.returncode, 0, done.stderr[:4000])

    def test_shellcheck_finds_nothing_in_the_scripts(self):
        done = run("shellcheck", *map(str, scripts()), str(ROOT / "packaging/completions/agentctl.bash"))
        self.assertEqual(done.returncode, 0, done.stdout[:4000])

    def test_the_desktop_entries_are_valid(self):
        # Dolphin's is a service menu of KDE's own, which the specification does not know.
        for name in ("agentctl.desktop", "file-managers/thunar.desktop"):
            done = run("desktop-file-validate", str(ROOT / "packaging" / name))
            self.assertEqual((done.returncode, done.stdout), (0, ""), name)

    def test_systemd_takes_the_units_as_they_are(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ("app-agentctl.slice", "agentctl.service.in"):
                text = (ROOT / "units" / name).read_text().replace("@AGENTCTL_PROGRAM@ serve", "/bin/true")
                text = re.sub(r"^Documentation=.*\n", "", text, flags=re.M)  # else it looks for the installed page
                pathlib.Path(directory, name.removesuffix(".in")).write_text(text)
            environment = dict(os.environ, XDG_RUNTIME_DIR=directory)
            paths = sorted(map(str, pathlib.Path(directory).iterdir()))
            done = subprocess.run(["systemd-analyze", "--user", "verify", *paths], env=environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Installed(unittest.TestCase):
    def test_completions_come_to_where_the_shells_look_and_are_what_the_program_prints(self):
        build = pathlib.Path(os.environ["AGENTCTL"]).parent
        places = {"bash": "bash-completion/completions/agentctl", "zsh": "zsh/site-functions/_agentctl",
                  "fish": "fish/vendor_completions.d/agentctl.fish"}
        with tempfile.TemporaryDirectory() as prefix:
            done = run("cmake", "--install", str(build), "--prefix", prefix)
            self.assertEqual(done.returncode, 0, done.stderr)
            for shell, place in places.items():
                printed = run(os.environ["AGENTCTL"], "completion", shell).stdout
                self.assertEqual((pathlib.Path(prefix) / "share" / place).read_text(), printed)


class ManPage(unittest.TestCase):
    agentctl = os.environ["AGENTCTL"]

    def options_of_help(self):
        words = [()] + [(verb,) for verb in VERBS] + [("profile", "new")]
        return {option for verb in words for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", run(self.agentctl, *verb, "--help").stdout)}

    def test_names_the_options_that_help_names_and_no_others(self):
        page = (ROOT / "packaging/man/agentctl.1").read_text().replace("\\-", "-")
        documented = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page))
        self.assertEqual(documented, self.options_of_help() - {"--help", "--version"})

    def test_is_accepted_by_man(self):
        done = subprocess.run(["man", "--warnings", "-l", str(ROOT / "packaging/man/agentctl.1")], capture_output=True, text=True,
                              env=dict(os.environ, MANWIDTH="80"), stdin=subprocess.DEVNULL, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
