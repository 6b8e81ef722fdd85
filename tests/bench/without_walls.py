# SPDX-License-Identifier: Apache-2.0
"""agentctl without its walls: the files in which without_walls.toml takes something out are compiled as the build has compiled them,
and linked in their place. What this program lacks is what the walls cost; it sees nothing but the benchmark.
"""
import json
import pathlib
import shlex
import shutil
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "mutants"))

from mutant_bench import changed_texts, edits_of, must, run  # noqa: E402


def compile_changed(build, place):
    """The objects of the changed files."""
    record = tomllib.loads((HERE / "without_walls.toml").read_text())
    compiled = {entry["file"]: shlex.split(entry["command"]) for entry in json.loads((build / "compile_commands.json").read_text())}
    objects = []
    for path, text in changed_texts(SOURCE, "without walls", edits_of(record)).items():
        changed = place / path.name
        changed.write_text(text)
        made = changed.with_suffix(".o")
        words = [word for word in compiled[str(path)] if word != "-Werror"]  # what is taken out leaves unused things behind
        words[words.index("-c") + 1] = str(changed)
        words[words.index("-o") + 1] = str(made)
        must(words, cwd=build)
        objects.append(str(made))
    return objects


def build(build, place):
    """Puts the program into the directory `place`, beside the stage as it is, and gives its path."""
    build, place = pathlib.Path(build), pathlib.Path(place)
    program = str(place / "agentctl")
    words = shlex.split(run(["ninja", "-C", build, "-t", "commands", "agentctl"]).stdout.splitlines()[-1])
    words = words[words.index("&&") + 1:words.index("&&", words.index("&&") + 1)]
    output = words.index("-o")
    # Before the archives, whose members of the same names nobody asks for then.
    must([*words[:output], *compile_changed(build, place), "-o", program, *words[output + 2:]], cwd=build)
    shutil.copy(build / "agentctl-stage", place)
    return program
