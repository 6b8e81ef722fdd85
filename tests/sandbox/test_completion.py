# SPDX-License-Identifier: Apache-2.0
"""Completion in real shells: what is offered is what there is, and Tab does nothing but complete."""
import os
import pathlib
import subprocess
import unittest

from completing_shells import SHELLS
from machine import Machine


class CompletingMachine(Machine):
    """agentctl is in its PATH, as it is installed."""

    def __init__(self):
        super().__init__()
        (self.root / "bin").mkdir()
        (self.root / "bin/agentctl").symlink_to(self.agentctl)
        self.environment["PATH"] = f"{self.root}/bin:{self.environment['PATH']}"

    def command(self, argv, **options):
        return subprocess.run(argv, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=60, **options)


def pretend(machine, identity, name):
    """The beginning of a record, as a session whose supervisor is this test would have it."""
    directory = machine.runtime / "agentctl" / identity
    directory.mkdir(parents=True)
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    text = f"ID={identity}\nNAME={name}\nPROJECT={machine.project}\nSUPERVISOR_PID={os.getpid()}\nBOOT_ID={boot}\n"
    (directory / "record").write_text(text)


class CompletionCase(unittest.TestCase):
    def each_shell(self, machine, check, directory=None):
        for shell in SHELLS:
            with self.subTest(shell=shell.__name__), shell(machine, directory) as opened:
                check(opened)


class Names(CompletionCase):
    def test_commands_options_and_values_are_the_programs_own(self):
        def check(shell):
            self.assertEqual(shell.offers("agentctl re"), ["receipt", "resume"])
            self.assertEqual(shell.complete("agentctl expl"), "agentctl explain ")
            self.assertEqual(shell.offers("agentctl attach --"), ["--help", "--read-only", "--take-over"])
            self.assertEqual(shell.complete("agentctl stop --gr"), "agentctl stop --grace ")
            self.assertEqual(shell.offers("agentctl start --home p"), ["persistent", "private"])
            self.assertEqual(shell.complete("agentctl start --home=pri"), "agentctl start --home=private ")
            self.assertEqual(shell.complete("agentctl start --net no"), "agentctl start --net none ")
            self.assertEqual(shell.complete("agentctl completion z"), "agentctl completion zsh ")
            self.assertEqual(shell.complete("agentctl profile sh"), "agentctl profile show ")
        with CompletingMachine() as machine:
            self.each_shell(machine, check)

    def test_sessions_are_those_that_run_and_where_it_fits_those_that_have_ended(self):
        def check(shell):
            self.assertEqual(shell.offers("agentctl stop o"), ["one", "other"])
            self.assertEqual(shell.offers("agentctl stop one o"), ["other"])
            self.assertEqual(shell.offers("agentctl logs o"), ["old", "one", "other"])
            self.assertEqual(shell.complete("agentctl attach on"), "agentctl attach one ")
            self.assertEqual(shell.complete("agentctl exec ot"), "agentctl exec other ")
        with CompletingMachine() as machine:
            self.assertEqual(machine.run("start", "-q", "--name", "old", "--", "true").returncode, 0)
            with machine.session("", name="one"), machine.session("", name="other", cwd=self.second_project(machine)):
                self.each_shell(machine, check)

    def second_project(self, machine):
        directory = machine.home / "second"
        directory.mkdir()
        return directory

    def test_limits_wait_for_their_value(self):
        def check(shell):
            self.assertEqual(shell.complete("agentctl set name tasks"), "agentctl set name tasks-max=")
            self.assertNotIn("oom=", shell.offers("agentctl set name "))
        with CompletingMachine() as machine:
            self.each_shell(machine, check)

    def test_profiles_are_ours_and_the_users_own(self):
        profiles = "my-own", "my-other"

        def check(shell):
            self.assertEqual(shell.offers("agentctl start -p my"), ["my-other", "my-own"])
            self.assertEqual(shell.complete("agentctl profile show clau"), "agentctl profile show claude ")
        with CompletingMachine() as machine:
            directory = machine.home / ".config/agentctl/profiles"
            directory.mkdir(parents=True)
            for name in profiles:
                (directory / f"{name}.toml").write_text("")
            self.each_shell(machine, check)

    def test_two_hundred_sessions_are_offered_and_none_is_touched(self):
        names = sorted(f"session-{number}" for number in range(200))
        with CompletingMachine() as machine:
            for number, name in enumerate(names):
                pretend(machine, f"{number:08x}", name)
            answer = machine.run("complete", "words", "stop", "session-").stdout.splitlines()
            self.assertEqual(answer[0], "words 0")
            self.assertEqual([line.split("\t")[0] for line in answer[1:]], names)
            self.assertEqual(len(machine.records()), 200)  # not even one that is no record in full
            machine.run("status")


class TheShellsOwn(CompletionCase):
    def test_paths_are_completed_and_quoted_by_the_shell(self):
        def check(shell):
            self.assertEqual(shell.complete("agentctl start --ro odd"), r"agentctl start --ro odd\ name/")
            self.assertEqual(shell.complete("agentctl start --ro=odd"), r"agentctl start --ro=odd\ name/")
            self.assertEqual(shell.complete("agentctl start -C pla"), "agentctl start -C plain/")
            self.assertEqual(shell.complete("agentctl trust pla"), "agentctl trust plain/")
            self.assertEqual(shell.complete("agentctl explain plainf"), "agentctl explain plainfile ")
            self.assertEqual(shell.complete("agentctl trust plainf"), "agentctl trust plainf")
        with CompletingMachine() as machine:
            for name in ("odd name", "plain"):
                (machine.project / name).mkdir()
            (machine.project / "plainfile").touch()
            self.each_shell(machine, check)

    def test_the_command_is_a_program_and_what_comes_after_it_are_paths(self):
        def check(shell):
            for words in ("start fruit", "start --home=private -q -- fruit", "exec name -- fruit"):
                self.assertEqual(shell.complete(f"agentctl {words} plainf"), f"agentctl {words} plainfile ")
            self.assertEqual(shell.complete("agentctl start -- frui"), "agentctl start -- fruit ")
        with CompletingMachine() as machine:
            (machine.project / "plainfile").touch()
            program = machine.root / "bin/fruit"
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
            self.each_shell(machine, check)


class HostileProject(CompletionCase):
    def test_no_tab_reads_a_makefile(self):
        with CompletingMachine() as machine:
            made = machine.root / "made"
            (machine.project / "Makefile").write_text(f"X := $(shell touch {made})\nall:\n")

            def check(shell):
                for line in ("agentctl start -- make ", "agentctl start make a", "agentctl exec s -- make "):
                    shell.shown_after(line, "\t")
                self.assertFalse(made.exists(), type(shell))
            self.each_shell(machine, check)


class Silence(CompletionCase):
    def assert_quiet(self, shell, line):
        shown = shell.shown_after(line, "\t")
        for word in ("agentctl:", "not found", "Unknown", "rror", "hint"):
            self.assertNotIn(word, shown.replace(line, ""))

    def test_what_is_no_command_line_of_ours_completes_to_nothing_and_says_nothing(self):
        def check(shell):
            for line in ("agentctl nosuch ", "agentctl st ", "agentctl stop --nosuch=", "agentctl stop 'x", "agentctl attach a b "):
                self.assert_quiet(shell, line)
                self.assertEqual(shell.complete(line), line)
        with CompletingMachine() as machine:
            self.each_shell(machine, check)

    def test_a_program_that_fails_or_is_gone_says_nothing(self):
        def check(shell):
            program = shell.machine.root / "bin/agentctl"
            target = program.resolve()
            for text in (None, "#!/bin/sh\necho broken >&2\nexit 1\n"):
                program.unlink(missing_ok=True)
                if text is not None:
                    program.write_text(text)
                    program.chmod(0o755)
                shown = shell.shown_after("agentctl sto", "\t")
                self.assertNotIn("broken", shown)
                self.assertNotIn("not found", shown)
            program.unlink()
            program.symlink_to(target)
        with CompletingMachine() as machine:
            self.each_shell(machine, check)

    def test_a_program_of_that_name_in_the_project_is_never_run(self):
        def check(shell):
            shell.complete("./agentctl sto")
            self.assertFalse((shell.machine.project / "ran").exists())
        with CompletingMachine() as machine:
            hostile = machine.project / "agentctl"
            hostile.write_text("#!/bin/sh\ntouch ran\n")
            hostile.chmod(0o755)
            self.each_shell(machine, check)

    def test_nothing_in_the_line_is_run(self):
        def check(shell):
            shell.offers("agentctl stop $(touch ran) `touch ran` ")
            self.assertFalse((shell.machine.project / "ran").exists())
        with CompletingMachine() as machine:
            self.each_shell(machine, check)


if __name__ == "__main__":
    unittest.main(verbosity=2)
