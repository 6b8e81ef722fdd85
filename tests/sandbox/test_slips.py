# SPDX-License-Identifier: Apache-2.0
"""Slips of the pen in what hides and protects: told at the start and in status, for they would protect nothing."""
import json
import unittest

from machine import Machine


class Slips(unittest.TestCase):
    def warnings(self, machine, *options, **popen_options):
        done = machine.run("start", *options, "--", "true", **popen_options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stderr.splitlines() if " nothing" in line and "files: " in line]

    def test_a_typed_path_that_is_not_there_is_told_with_what_stands_near_and_in_status(self):
        with Machine() as machine:
            (machine.home / ".wapp").mkdir()
            (machine.project / "Makefile").touch()
            with machine.session(":", options=("--hide", "~/.wasp", "--protect", "Makfile")) as session:
                told = [line for line in session.known["warnings"] if " nothing" in line and "files: " in line]
            self.assertEqual(told, [
                f"files: '~/.wasp' hides nothing yet: it is not there; did you mean '{machine.home}/.wapp'?",
                f"files: '{machine.project}/Makfile' protects nothing: it is not there; did you mean "
                f"'{machine.project}/Makefile'?"])
            self.assertEqual(self.warnings(machine, "--hide", "~/.wasp"), ["agentctl: warning: " + told[0]])

    def test_a_link_that_leads_to_nothing_is_told_for_both(self):
        with Machine() as machine:
            (machine.project / "link").symlink_to("gone")
            for option, word in (("--hide", "hides nothing yet"), ("--protect", "protects nothing")):
                told = self.warnings(machine, option, "link")
                self.assertEqual(len(told), 1, told)
                self.assertIn(f"link' {word}: the link '{machine.project}/link' leads to nothing", told[0])

    def test_the_users_policy_and_a_trusted_project_are_told_but_no_other_layer(self):
        with Machine() as machine:
            config = machine.home / ".config/agentctl"
            config.mkdir(parents=True)
            (machine.project / ".agentctl.toml").write_text('[files]\nhide = ["./.evn"]\n')
            self.assertEqual(self.warnings(machine), [])
            text = '[files]\nhide = ["~/.wasp", "~/.maybe", "~/*.none"]\noptional = ["~/.maybe"]\n'
            (config / "policy.toml").write_text(text)
            told = self.warnings(machine)
            self.assertEqual(len(told), 1, told)
            self.assertIn("'~/.wasp' hides nothing yet", told[0])
            self.assertEqual(machine.run("trust", str(machine.project)).returncode, 0)
            self.assertIn("'./.evn' hides nothing", "\n".join(self.warnings(machine)))

    def test_a_typed_pattern_that_matches_nothing_is_told(self):
        with Machine() as machine:
            (machine.project / "server.pem").touch()
            self.assertEqual(self.warnings(machine, "--hide", "*.pem"), [])
            told = self.warnings(machine, "--hide", "*.pme")
            self.assertEqual(len(told), 1, told)
            self.assertIn("*.pme' hides nothing yet: it matches nothing", told[0])

    def test_a_path_that_must_be_there_is_refused_with_what_stands_near(self):
        with Machine() as machine:
            (machine.home / "notes").mkdir()
            done = machine.run("start", "--ro", "~/noets", "--", "touch", "ran")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"--ro: '~/noets' not found; did you mean '{machine.home}/notes'?", done.stderr)
            self.assertFalse((machine.project / "ran").exists())

    def test_a_bracket_that_nothing_closes_is_refused_with_what_was_meant(self):
        with Machine() as machine:
            for option in ("--hide", "--protect"):
                done = machine.run("start", option, "[ab", "--", "touch", "ran")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("[ab' must close its '[' with a ']'; a bracket that is part of a name is '\\['", done.stderr)
            config = machine.home / ".config/agentctl/policy.toml"
            config.parent.mkdir(parents=True)
            config.write_text('[files]\nhide = ["./x[ab/*]"]\n')
            self.assertIn(f"{config}:2:9: error: './x[ab/*]' in 'hide' must close its '['", machine.run("start", "--", "touch", "ran").stderr)
            self.assertFalse((machine.project / "ran").exists())

    def test_an_option_without_its_value_does_not_take_the_two_dashes(self):
        with Machine() as machine:
            done = machine.run("start", "--hide", "--", "touch", "ran")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.splitlines(), ["agentctl: --hide must be followed by a value, not by '--'",
                                                        "hint: a file of that name is './--'"])
            self.assertFalse((machine.project / "ran").exists())

    def test_a_pattern_counts_from_a_directory_with_brackets_in_its_name(self):
        with Machine() as machine:
            place = machine.project / "app/[id]"
            place.mkdir(parents=True)
            (place / "a.conf").write_text("s3cret")
            done = machine.run("start", "-C", str(machine.project), "--hide", "*.conf", "--", "cat", "app/[id]/a.conf", cwd=place)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_explain_and_the_dry_run_tell_it_too(self):
        with Machine() as machine:
            plan = json.loads(machine.run("start", "--dry-run", "--json", "--hide", "~/.wasp", "--", "true").stdout)
            self.assertIn("files: '~/.wasp' hides nothing yet: it is not there", plan["warnings"])
            self.assertIn("'~/.wasp' hides nothing yet", machine.run("explain", "--hide", "~/.wasp").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
