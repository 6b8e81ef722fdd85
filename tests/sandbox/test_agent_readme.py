# SPDX-License-Identifier: Apache-2.0
"""What a session is told of its own limits (CTL-06)."""
import pathlib
import unittest

from machine import Machine

README = "/run/agentctl/README"


class Readme(unittest.TestCase):
    def test_ctl_06_the_agent_reads_what_is_limited_and_that_it_should_stop_and_ask(self):
        with Machine() as machine:
            done = machine.start(f'echo "$AGENTCTL"; cat {README}', "-q", "--tasks-max", "77", "--memory-max", "512M", "--net", "none")
            mark, _, text = done.stdout.partition("\n")
            self.assertEqual(mark, "1")
            self.assertIn(f"'{machine.project}'", text)
            for part in ("stop, and tell the user", "second try", "77, threads included",
                         "512.0M", "no name can be resolved", "private"):
                self.assertIn(part, text)

    def test_ctl_06_the_text_follows_the_home_the_network_and_no_limits(self):
        with Machine() as machine:
            machine.home.joinpath(".config/agentctl").mkdir(parents=True)
            machine.home.joinpath(".config/agentctl/policy.toml").write_text('[files]\nhome = "read-only"\n')
            text = machine.start(f"cat {README}", "-q", "--net", "host", "--no-limits").stdout
            for part in ("the user's own and read-only", "shared with you", "None but those of the machine"):
                self.assertIn(part, text)

    def test_ctl_06_nothing_inside_can_change_remove_or_cover_it(self):
        with Machine() as machine:
            done = machine.start(f"""
                echo lie > {README}; rm -f {README}; mv {README} {README}.old; chmod 600 {README}; ln -sf /etc/passwd {README}
                mount --bind /etc/passwd {README}; touch /run/agentctl/other; rmdir /run/agentctl; mv /run/agentctl /run/other
                ls /run/agentctl; head -c 30 {README}""", "-q")
            self.assertEqual(done.stdout, "README\nstage\nYou run in a sandbox that the ")

    def test_ctl_06_it_tells_nothing_of_what_is_hidden_nor_of_the_policy(self):
        with Machine() as machine:
            config = machine.home / ".config/agentctl"
            config.mkdir(parents=True)
            config.joinpath("policy.toml").write_text('[files]\nhide = ["./client-list"]\nread-only = ["~/shown"]\n')
            machine.home.joinpath("shown").mkdir()
            machine.project.joinpath("client-list").write_text("x")
            text = machine.start(f"[ -s client-list ] || cat {README}", "-q").stdout
            self.assertIn("stop, and tell the user", text)
            for secret in ("client-list", "shown", "policy.toml", ".config", str(machine.home) + "'"):
                self.assertNotIn(secret, text)

    def test_ctl_06_what_agentctl_says_itself_can_be_told_from_what_the_agent_says(self):
        with Machine() as machine:
            for words in (("--net", "host", "--", "sh", "-c", "exit 3"), ("--", "/nonexistent/program"), ("-C", "/nonexistent", "--", "true")):
                lines = machine.run("start", *words).stderr.splitlines()
                self.assertTrue(lines)
                self.assertEqual([line for line in lines if not line.startswith(("agentctl: ", "hint: "))], [])

    def test_ctl_06_nothing_of_it_is_made_on_the_host(self):
        with Machine() as machine:
            before = pathlib.Path(README).exists()
            machine.start("true", "-q")
            self.assertFalse(before or pathlib.Path(README).exists())


if __name__ == "__main__":
    unittest.main()
