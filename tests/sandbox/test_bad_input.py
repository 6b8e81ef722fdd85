# SPDX-License-Identifier: Apache-2.0
"""What the user got wrong: one clear line, a hint where something can be done, the documented status, and nothing left."""
import os
import re
import subprocess
import unittest

from machine import Machine


class BadInput(unittest.TestCase):
    def refuses(self, machine, arguments, status, pattern, hint=None, **options):
        before = sorted(os.listdir(machine.project))
        done = machine.run("start", "-q", *arguments, **options)
        lines = done.stderr.splitlines()
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(lines[0], "^agentctl: .*" + pattern)
        self.assertEqual([line for line in lines if line.startswith("agentctl: ")], lines[:1])
        hints = [line for line in lines if line.startswith("hint: ")]
        if hint is not ...:
            self.assertEqual(len(hints), 0 if hint is None else 1, done.stderr)
        if hint not in (None, ...):
            self.assertIn(hint, hints[0])
        self.assertEqual(done.stdout, "")
        self.assertEqual(sorted(os.listdir(machine.project)), before)
        self.assertEqual(machine.records(), [])
        self.assertEqual(machine.processes(), [])
        return done.stderr

    def test_an_empty_name_and_a_parent_that_is_agentctl_itself(self):
        with Machine() as machine:
            self.refuses(machine, ["--name", "", "--", "touch", "ran"], 2, "--name must not be empty")
            script = 'exec "$0" start -q --parent-pid $$ -- touch ran'
            done = subprocess.run(["sh", "-c", script, machine.agentctl], env=machine.environment, cwd=machine.project,
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("must not be agentctl itself", done.stderr)
            self.assertEqual(os.listdir(machine.project), [])

    def refuses_policy(self, text, *patterns):
        with Machine() as machine:
            policy = machine.home / ".config/agentctl/policy.toml"
            policy.parent.mkdir(parents=True)
            policy.write_text(text)
            said = self.refuses(machine, ["--", "touch", "ran"], 3, patterns[0])
            for pattern in patterns:
                self.assertRegex(said, f"(?m){pattern}")

    def test_an_unknown_key_is_located_and_the_nearest_one_named(self):
        self.refuses_policy('[limits]\nmemry-max = "8G"\n', r"toml:2:1: error: unknown key 'memry-max'.*'memory-max'\?$")

    def test_a_value_of_the_wrong_type_is_located(self):
        self.refuses_policy('[limits]\nmemory-max = 5.5\n', r"policy\.toml:2:14: error: 'memory-max' must be")
        self.refuses_policy('[env]\npass = "HOME"\n', r"policy\.toml:2:8: error: .*'pass'")

    def test_a_limit_of_nothing_is_refused(self):
        self.refuses_policy('[limits]\nmemory-max = "0"\n', r"policy\.toml:2:14: error: 'memory-max' must not be 0")
        with Machine() as machine:
            self.refuses(machine, ["--memory-max", "0", "--", "touch", "ran"], 2, "--memory-max: .*must not be 0")

    def test_every_mistake_is_told_at_once(self):
        text = '[limits]\nmemry-max = "8G"\ntasks-max = true\n[oops]\n'
        self.refuses_policy(text, "memry-max", "toml:3:13: .*tasks-max", "toml:4:2: .*'oops'")

    def test_a_policy_that_is_no_toml_or_cannot_be_read_is_not_passed_over(self):
        self.refuses_policy("[limits\n", r"policy\.toml:1:\d+: error: not valid TOML")
        with Machine() as machine:
            policy = machine.home / ".config/agentctl/policy.toml"
            policy.mkdir(parents=True)
            self.refuses(machine, ["--", "touch", "ran"], 3, r"policy\.toml")

    def test_a_project_that_is_not_there_or_no_directory(self):
        with Machine() as machine:
            self.refuses(machine, ["-C", "/nonexistent", "--", "true"], 2, "cannot use '/nonexistent' as the project: not found$")
            (machine.project / "file").write_text("")
            self.refuses(machine, ["-C", "file", "--", "true"], 2, "as the project: not a directory$")

    def test_a_project_that_is_gone_while_we_stand_in_it(self):
        with Machine() as machine:
            gone = machine.home / "gone"
            gone.mkdir()
            script = f'cd "{gone}"; rmdir "{gone}"; exec "$@"'
            argv = machine.start_argv("-q", "--", "true")
            done = subprocess.run(["sh", "-c", script, "sh", *argv], env=machine.environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)
            self.assertIn(done.returncode, (2, 125), done.stderr)
            self.assertRegex(done.stderr, "^agentctl: cannot use the current directory")

    def test_a_command_that_is_not_there_is_127(self):
        with Machine() as machine:
            self.refuses(machine, ["--", "no-such-command"], 127, "cannot find 'no-such-command' in PATH$", "spelling")
            self.refuses(machine, ["--", "./no/such"], 127, "'./no/such'|/no/such' not found$")

    def test_a_command_that_cannot_be_executed_is_126(self):
        with Machine() as machine:
            plain = machine.project / "plain"
            plain.write_text("text")
            self.refuses(machine, ["--", "./plain"], 126, "it is not executable$", "chmod +x")
            plain.chmod(0o755)
            self.refuses(machine, ["--", "./plain"], 126, "Exec format error$")
            plain.write_text("#!/no/interpreter\n")
            self.refuses(machine, ["--", "./plain"], 126, "interpreter")
            for directory in (".", "/usr"):
                self.refuses(machine, ["--", f"{directory}/"], 126, "it is a directory$")

    def test_no_command_at_all(self):
        with Machine() as machine:
            self.refuses(machine, [], 2, "start needs a COMMAND", "agent")
            self.refuses(machine, ["--", ""], 2, "no command given$", "start")

    def test_every_option_of_start_with_a_bad_value_is_a_wrong_command_line(self):
        values = {
            "--profile": "nope", "--project": "/nonexistent", "--name": "../x", "--parent-pid": "me",
            "--manager": "init",
            "--memory-max": "8Q", "--memory-high": "-1", "--swap-max": "much", "--cpu-quota": "fast",
            "--cpu-weight": "0", "--tasks-max": "2", "--io-weight": "20000", "--runtime-max": "soon", "--oom": "maybe",
            "--home": "privat", "--ro": "/nonexistent", "--rw": "~other/x", "--copy": "/usr", "--hide": "a/../b",
            "--protect": "", "--net": "moon", "--env": "A B", "--publish": "70000", "--allow": "https://a.example", "--deny": "a b",
        }
        with Machine() as machine:
            shown = machine.run("start", "--help").stdout
            self.assertEqual(set(re.findall(r"(--[a-z-]+) (?:TEXT|INT)", shown)), set(values), shown)
            for option, value in values.items():
                with self.subTest(option):
                    self.refuses(machine, [option, value, "--", "touch", "ran"], 2, ".", hint=...)

    def test_what_the_policy_forbids_is_3_also_when_it_was_typed(self):
        with Machine() as machine:
            for option, value in (("--rw", "/etc"), ("--rw", "~"), ("--ro", "/proc"), ("--hide", ".")):
                self.refuses(machine, [option, value, "--", "touch", "ran"], 3, "--r[wo]|--hide", hint=...)
            (machine.home / ".config/agentctl").mkdir(parents=True)
            (machine.home / ".config/agentctl/policy.toml").write_text('[limits]\ntasks-max = "x"\n')
            self.refuses(machine, ["--memory-max", "8Q", "--", "touch", "ran"], 3, "tasks-max", hint=...)

    def test_bad_values_of_the_other_commands_are_wrong_command_lines(self):
        with Machine() as machine:
            for words in (("stop", "--grace", "soon", "x"), ("stop", "--grace", "1s", "--kill", "x"), ("stop",),
                          ("stop", "x", "--all"), ("explain", "-p", "nope"), ("explain", "--net", "moon"),
                          ("explain", "--cpu-weight", "x"), ("profile", "show", "nope"), ("profile", "new", "../x"),
                          ("profile", "new", "--from", "nope", "mine"), ("trust",), ("trust", "--list", "."),
                          ("status", "a", "b"), ("sta",), ("stats",), ("s", "--json")):
                done = machine.run(*words)
                self.assertEqual(done.returncode, 2, f"{words}: {done.stderr}")
                self.assertEqual((len(done.stderr.splitlines()[0]) > 12, done.stdout), (True, ""))

    def test_a_slip_in_an_option_is_told_with_what_was_meant(self):
        with Machine() as machine:
            for typed, meant in (("--memry-max=1G", "--memory-max"), ("--hom=private", "--home"),
                                 ("--protec=x", "--protect"), ("--read-only=x", "--ro"),
                                 ("--read-write=x", "--rw"), ("--network=none", "--net"),
                                 ("--pass=A", "--env")):
                said = self.refuses(machine, [typed, "--", "touch", "ran"], 2, f"did you mean '{meant}'", "--help")
                self.assertIn(typed, said)

    def test_limits_beside_no_limits_are_a_contradiction_but_for_the_time_limit(self):
        with Machine() as machine:
            for words in (["--memory-max", "1G"], ["--oom", "session"], ["--manager", "user"]):
                done = machine.run("start", "--no-limits", *words, "--", "touch", "ran")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"--no-limits must not stand beside {words[0]}", done.stderr)
                self.assertFalse((machine.project / "ran").exists())
            argv = [machine.agentctl, "start", "-q", "--no-limits", "--runtime-max", "300ms", "--", "sleep", "100"]
            done = subprocess.run(argv, env=machine.environment, cwd=machine.project, capture_output=True, text=True,
                                  timeout=60, stdin=subprocess.DEVNULL, check=False)
            self.assertEqual((done.returncode, done.stderr), (124, ""))

    def test_a_command_may_be_shortened_and_an_ambiguous_one_names_the_candidates(self):
        with Machine() as machine:
            done = machine.run("stat", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith("["), done.stdout)
            done = machine.run("sta")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, "agentctl: 'sta' is ambiguous\nhint: candidates: start, status\n")
            done = machine.run("staus")
            self.assertIn("'staus' is not a command of agentctl; did you mean 'status'?", done.stderr)

    def test_quiet_leaves_errors_alone_also_without_a_user_manager(self):
        with Machine() as machine:
            environment = {name: value for name, value in machine.environment.items() if name != "XDG_RUNTIME_DIR"}
            argv = [machine.agentctl, "start", "-q", "--manager", "private", "--hide", "/nonexistent", "--", "true"]
            done = subprocess.run(argv, env=environment, cwd=machine.project, capture_output=True, text=True,
                                  timeout=60, stdin=subprocess.DEVNULL, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            del argv[2]
            done = subprocess.run(argv, env=environment, cwd=machine.project, capture_output=True, text=True,
                                  timeout=60, stdin=subprocess.DEVNULL, check=False)
            for notice in ("warning: network", "hides nothing yet"):
                self.assertIn(notice, done.stderr)
            told = [line for line in done.stderr.splitlines() if line.startswith("agentctl: no ")]
            self.assertEqual(len(told), 1, done.stderr)
            self.assertRegex(told[0], "service manager .*--manager private")

    def test_a_path_that_climbs_out_of_the_current_directory_is_what_the_kernel_makes_of_it(self):
        with Machine() as machine:
            (machine.home / "notes").write_text("text")
            (machine.root / "link").symlink_to(machine.project)
            for directory in (machine.project, machine.root / "link"):
                environment = dict(machine.environment, PWD=str(directory))
                done = machine.start(f"cat {machine.home}/notes", "--ro", "../notes", cwd=directory, env=environment)
                self.assertEqual((done.returncode, done.stdout), (0, "text"), done.stderr)

    def test_a_name_that_runs_already(self):
        with Machine() as machine, machine.session(":"):
            done = machine.run("start", "-q", "--name", "s", "--", "touch", "ran")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, "^agentctl: a session named 's' is running already\nhint: .*\n$")
            self.assertFalse((machine.project / "ran").exists())

    def test_what_is_told_of_hostile_names_is_printable(self):
        with Machine() as machine:
            for name in ("\x1b[31mred", "a\nagentctl: all is well", "\udcff"):
                done = machine.run("start", "-q", "--", f"./{name}")
                self.assertEqual(done.returncode, 127, done.stderr)
                self.assertNotIn("\x1b", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
