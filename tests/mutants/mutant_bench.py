# SPDX-License-Identifier: Apache-2.0
"""A copy of the tree in which places are changed, with a build of its own."""
import dataclasses
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
BUILD_OPTIONS = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DAGENTCTL_WERROR=OFF"]  # a mutant leaves unused things behind


class Failure(Exception):
    pass


@dataclasses.dataclass
class Edit:
    file: str
    find: str
    replace: str = ""


def edits_of(record):
    return [Edit(**edit) for edit in record["edit"]]


def changed_texts(tree, name, edits):
    """The changed files; every text that is looked for must be there exactly once."""
    changed = {}
    for edit in edits:
        path = tree / edit.file
        text = changed.get(path) or path.read_text()
        if text.count(edit.find) != 1:
            raise Failure(f"{name}: found {text.count(edit.find)} times in {edit.file}, must be once: {edit.find!r}")
        changed[path] = text.replace(edit.find, edit.replace)
    return changed


def run(argv, **options):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          **options)


def must(argv, **options):
    done = run(argv, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, argv[:3]))} failed:\n{done.stdout[-4000:]}")


class Bench:
    def __init__(self, place, targets, options=()):
        self.targets = targets
        self.tree = pathlib.Path(place) / "tree"
        self.build_dir = pathlib.Path(place) / "build"
        # What another bench has compiled, in another place, need not be compiled again.
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(place), CCACHE_NOHASHDIR="1")
        ignored = shutil.ignore_patterns("build", ".git", ".cache", "__pycache__")
        shutil.copytree(SOURCE, self.tree, symlinks=True, ignore=ignored)
        must(["cmake", "-S", self.tree, "-B", self.build_dir, *BUILD_OPTIONS, *options], env=self.environment)

    def change(self, name, edits):
        """Changes files, and gives what they were."""
        texts = changed_texts(self.tree, name, edits)
        originals = {path: path.read_text() for path in texts}
        self.write(texts)
        return originals

    @staticmethod
    def write(texts):
        for path, text in texts.items():
            path.write_text(text)

    def build(self):
        must(["cmake", "--build", self.build_dir, "--target", *self.targets], env=self.environment)
