# SPDX-License-Identifier: Apache-2.0
"""What the profiles protect of the agents' own state: the next agent on the host runs what it ran before."""
import os
import pathlib
import tomllib
import unittest

from machine import Machine

PROFILES = pathlib.Path(__file__).resolve().parent.parent.parent / "policy/profiles"

ATTEMPTS = """
try() { ("$@") >/dev/null 2>&1 && echo "$*"; }
for path in "$@"; do
  [ -e "$path" ] || echo "missing $path"
  [ -d "$path" ] && try sh -c "echo evil > $path/evil"
  try sh -c "echo evil >> $path"
  try sh -c "echo evil > new && mv -fT new $path"
  try mv "$path" "$path.away"
  try rm -rf "$path"
  try ln -sfT /bin/true "$path"
done
for path in "$@"; do
  parent=$(dirname "$path")
  [ "$parent" = "$HOME" ] || try mv "$parent" "$parent.away"
done
echo end
"""


def profiles():
    return [path for path in sorted(PROFILES.glob("*.toml")) if path.name != "default.toml"]


class AgentState(unittest.TestCase):
    def attempt(self, file):
        files = tomllib.loads(file.read_text()).get("files", {})
        protected = files.get("protect", [])
        with Machine() as machine:
            paths = [machine.home / entry.removeprefix("~/") for entry in protected]
            for entry in files.get("read-write", []):
                (machine.home / entry.removeprefix("~/")).mkdir(parents=True, exist_ok=True)
            for path in paths:
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.suffix or path.name.startswith("."):
                    path.write_text("true\n")
                else:
                    path.mkdir()
                    (path / "file").write_text("true\n")
            done = machine.run("start", "-p", file.stem, "--", "sh", "-c", ATTEMPTS, "sh", *map(str, paths))
            self.assertEqual(done.stdout.split("\n"), ["end", ""], done.stderr)
            for path in paths:
                if path.is_dir():
                    self.assertEqual(os.listdir(path), ["file"], path)
                else:
                    self.assertEqual(path.read_text(), "true\n", path)


for profile in profiles():
    setattr(AgentState, f"test_what_{profile.stem.replace('-', '_')}_runs_later_stays_as_it_was",
            lambda self, file=profile: self.attempt(file))


if __name__ == "__main__":
    unittest.main(verbosity=2)
