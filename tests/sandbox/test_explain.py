# SPDX-License-Identifier: Apache-2.0
"""`agentctl explain` against what a session really sees."""
import json
import os
import pathlib
import random
import shlex
import unittest

from machine import Machine

PATHS = 60
SEED = 20261129


class Explain(unittest.TestCase):
    def explain(self, machine, *arguments):
        done = machine.run("explain", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def furnish(self, machine):
        """A home and a project with one of each kind; the options of the start."""
        home, project = machine.home, machine.project
        for name in (".ssh/id_ed25519", "dotfiles/gitconfig", "notes/todo", "notes/secret/key", "shared/cache/x", ".tool.json",
                     "project/src/main.c", "project/.git/hooks/pre-commit", "project/.git/config", "project/.env", "project/sub/deep/x"):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(f"content of {name}\n")
        (home / ".gitconfig").symlink_to("dotfiles/gitconfig")
        (project / "keys").symlink_to(home / ".ssh")
        (project / "out").symlink_to("../notes")
        (project / "dangling").symlink_to("nowhere")
        (project / "loop").symlink_to("loop")
        (project / "unreadable").write_text("x")
        (project / "unreadable").chmod(0)
        (project / "fixed").write_text("x")
        (project / "fixed").chmod(0o444)
        policy = home / ".config/agentctl/policy.toml"
        policy.parent.mkdir(parents=True)
        policy.write_text('[files]\nread-only = ["~/notes"]\nread-write = ["~/shared/cache"]\ncopy = ["~/.tool.json"]\n'
                          'hide = ["~/notes/secret", "./.env"]\nprotect = ["./src"]\n')
        return policy

    def candidates(self, machine):
        home, project = machine.home, machine.project
        own = [path for top in (home, project) for path in pathlib.Path(top).rglob("*")]
        own += [path.parent / (path.name + "-absent") for path in own[:20]]
        own += [project / "keys/id_ed25519", project / "out/todo", project / "out/secret/key", project / "dangling/x",
                project / "src/../../notes", project / "./sub//deep/../deep/x", home, home.parent]
        system = []
        for top in ("/etc", "/usr", "/"):
            system += [pathlib.Path(top, name) for name in os.listdir(top)]
        for top in ("/usr/bin", "/usr/lib", "/etc/ssl", "/etc/alternatives"):
            system += [pathlib.Path(top, name) for name in sorted(os.listdir(top))]
        skipped = ("/proc", "/dev", "/sys")
        system = [path for path in system if not str(path).startswith(skipped)]
        pick = random.Random(SEED)
        pick.shuffle(own)
        ours = [pathlib.Path("/run/agentctl", name) for name in ("README", "stage", "other")]
        return ours + own + pick.sample(system, PATHS)

    def test_ctl_02_the_answer_is_what_a_session_finds_for_every_path(self):
        with Machine() as machine:
            self.furnish(machine)
            paths = [str(path) for path in self.candidates(machine)]
            self.assertGreater(len(paths), 100)
            tests = "".join(f"p={shlex.quote(path)}; r=-; w=-; e=-; [ -r \"$p\" ] && r=r; [ -w \"$p\" ] && w=w; [ -e \"$p\" ] && e=e; "
                            "echo $r$w$e\n" for path in paths)
            (machine.project / "look").write_text(tests)
            observed = machine.start("sh ./look", "-q").stdout.split()
            self.assertEqual(len(observed), len(paths))
            seen = set()
            differences = {}
            for path, found in zip(paths, observed):
                answer = self.explain(machine, path)
                seen.add(answer["inside"])
                there = answer["inside"] != "absent"
                if answer["inside"] == "hidden":
                    # Empty, and of no use to anybody: below a hidden directory there is nothing at all.
                    told = found if found in ("r-e", "---") else "hidden"
                else:
                    told = ("r" if answer["readable"] else "-") + ("w" if answer["writable"] else "-") + ("e" if there else "-")
                if told != found:
                    differences[path] = (found, answer)
            self.assertEqual(differences, {})
            self.assertEqual(seen, {"absent", "hidden", "read-only", "writable", "copy"})

    def test_ctl_02_the_deciding_rule_is_told_and_changes_with_the_policy(self):
        with Machine() as machine:
            policy = self.furnish(machine)
            key = str(machine.home / ".ssh/id_ed25519")
            self.assertEqual(self.explain(machine, key)["inside"], "absent")
            self.assertEqual(self.explain(machine, key)["why"], "it is on the host, and no rule shows it")
            secret = self.explain(machine, str(machine.home / "notes/secret/key"))
            self.assertEqual((secret["inside"], secret["rule"]), ("hidden", f"{policy}:5:9"))
            nothing = self.explain(machine, str(pathlib.Path(key).parent / "nosuch"))
            self.assertEqual(nothing["why"], "it is not on the host, and no rule makes it")
            allowed = self.explain(machine, "--ro", "~/.ssh", key)
            self.assertEqual((allowed["inside"], allowed["rule"]), ("read-only", "--ro"))
            link = self.explain(machine, "~/.gitconfig")
            self.assertEqual(link["end"], str(machine.home / "dotfiles/gitconfig"))
            self.assertRegex(link["rule"], "^built-in default:")
            self.assertEqual(self.explain(machine, ".")["path"], str(machine.project))
            self.assertEqual(self.explain(machine, ".//./sub")["path"], str(machine.project / "sub"))
            self.assertEqual(self.explain(machine, "../.ssh/id_ed25519")["path"], key)

    def test_what_lies_in_a_place_that_agentctl_keeps_is_told_as_that(self):
        with Machine() as machine:
            for name in ("both", "host"):
                (machine.home / ".cache" / name).parent.mkdir(exist_ok=True)
                (machine.home / ".cache" / name).write_text("the host's")
            machine.start("echo inside > ~/.cache/both")
            kept = f"{machine.home}/.local/state/agentctl/caches/"
            own = f"'{machine.home}/.cache' is the session's own, kept in '{kept}"
            here = f"it is the session's own, kept in '{kept}"
            for name, inside, begins, ends in (("host", "absent", own, "'; what is on the host is not shown"),
                                               ("none", "absent", own, "'; nothing is there yet"),
                                               ("both", "writable", here, "/both'")):
                answer = self.explain(machine, f"~/.cache/{name}")
                self.assertEqual(answer["inside"], inside)
                self.assertTrue(answer["why"].startswith(begins) and answer["why"].endswith(ends), answer["why"])

    def test_a_profile_is_explained_without_its_program(self):
        with Machine() as machine:
            machine.environment["PATH"] = "/usr/bin:/bin"
            answer = self.explain(machine, "-p", "claude")
            self.assertEqual((answer["profile"], answer["command"][0]), ("claude", "claude"))
            self.assertIn("command: cannot find 'claude' in PATH; explained without it", answer["warnings"])
            (machine.home / ".claude").mkdir()
            self.assertEqual(self.explain(machine, "-p", "claude", "~/.claude")["inside"], "writable")

    def test_every_rule_of_the_policy_is_listed_with_its_origin(self):
        with Machine() as machine:
            policy = self.furnish(machine)
            answer = self.explain(machine, "--tasks-max", "200", "--env", "CI=1", "-p", "shell")
            rules = {(rule["table"], rule["key"], rule["value"]): rule["origin"] for rule in answer["rules"]}
            self.assertEqual(rules["limits", "tasks-max", "200"], "--tasks-max")
            self.assertEqual(rules["env", "set", "CI=1"], "--env")
            self.assertEqual(rules["files", "hide", "./.env"], f"{policy}:5:27")
            self.assertRegex(rules["files", "protect", "./.git/hooks"], "^built-in default:")
            self.assertRegex(rules["agent", "command", "bash"], "^built-in profile shell:")
            text = machine.run("explain").stdout
            self.assertRegex(text, rf"(?m)^hide +\./\.env +{policy}:5:27$")

    def test_a_host_is_told_what_the_network_mode_means_for_it(self):
        with Machine() as machine:
            self.assertTrue(self.explain(machine, "--net", "host", "example.org")["reachable"])
            closed = self.explain(machine, "--net", "none", "localhost")
            self.assertEqual((closed["reachable"], closed["rule"]), (False, "--net"))

    def test_a_word_that_may_be_either_gets_both_answers_and_one_that_is_there_its_own(self):
        with Machine() as machine:
            answer = self.explain(machine, "nosuch.pem")
            self.assertEqual((answer["host"], answer["or_path"]["inside"]), ("nosuch.pem", "absent"))
            self.assertIn(f"or a path   '{machine.project}/nosuch.pem' is absent: ", machine.run("explain", "nosuch.pem").stdout)
            (machine.project / "nosuch.pem").write_text("x")
            self.assertEqual(self.explain(machine, "nosuch.pem")["inside"], "hidden")
            self.assertIsNone(self.explain(machine, "localhost")["or_path"])
            self.assertEqual(self.explain(machine, "./example.org")["inside"], "absent")

    def test_where_the_built_in_globs_do_not_look_is_told_with_the_remedy(self):
        with Machine() as machine:
            for name in ("d1/d2/d3/.env", "d1/d2/d3/d4/.env", "node_modules/.env"):
                (machine.project / name).parent.mkdir(parents=True, exist_ok=True)
                (machine.project / name).write_text("x")
            self.assertEqual(self.explain(machine, "d1/d2/d3/.env")["notes"], [])
            deep = self.explain(machine, "d1/d2/d3/d4/.env")
            self.assertEqual(deep["inside"], "writable")
            self.assertIn("looks no more than 3 directories deep; to hide it: --hide ", deep["notes"][0])
            self.assertIn("does not look in 'node_modules'", self.explain(machine, "node_modules/.env")["notes"][0])
            self.assertEqual(self.explain(machine, "--hide", "d1/d2/d3/d4/.env", "d1/d2/d3/d4/.env")["inside"], "hidden")

    def test_the_line_that_takes_a_rule_away_is_told(self):
        with Machine() as machine:
            policy = self.furnish(machine)
            policy.write_text('[files]\nprotect = ["!./.git/config"]\n')
            answer = self.explain(machine, ".git/config")
            self.assertEqual(answer["inside"], "writable")
            self.assertEqual(answer["notes"], [f"'./.git/config' was taken out of protect by {policy}:2:12"])
            self.assertRegex(machine.run("explain").stdout, rf"(?m)^protect +!\./\.git/config +{policy}:2:12$")

    def test_nothing_is_started_and_nothing_is_made(self):
        with Machine() as machine:
            before = sorted(map(str, machine.home.rglob("*")))
            self.explain(machine, "/etc/passwd")
            self.explain(machine)
            self.assertEqual(sorted(map(str, machine.home.rglob("*"))), before)
            self.assertEqual(machine.records(), [])

    def test_options_may_stand_before_and_after_the_path(self):
        with Machine() as machine:
            self.furnish(machine)
            for words in (["--ro", "~/.ssh", "--hide", "./sub", "~/.ssh"], ["~/.ssh", "--hide", "./sub", "--ro", "~/.ssh"]):
                self.assertEqual(self.explain(machine, *words)["inside"], "read-only")

    def test_what_stops_a_start_stops_the_explanation(self):
        with Machine() as machine:
            done = machine.run("explain", "--ro", "/nope", "--rw", "/neither", "/etc")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.splitlines()[:2], ["agentctl: --ro: '/nope' not found", "--rw: '/neither' not found"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
