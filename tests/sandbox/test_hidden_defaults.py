# SPDX-License-Identifier: Apache-2.0
"""A hidden directory above what every sandbox shows: all of it goes, and that is told; or the start is refused."""
import unittest

from machine import Machine


class HiddenDefaults(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def test_fs_11_a_hidden_directory_of_etc_is_not_there_with_anything_in_it(self):
        done = self.machine.start("ls -A /etc/ssl; cat /etc/ssl/openssl.cnf; ls /etc/passwd", "--hide", "/etc/ssl")
        self.assertEqual(done.stdout, "/etc/passwd\n")
        self.assertIn("warning: files: '/etc/ssl' is hidden, and with it what is shown by default: '/etc/ssl/certs'",
                      done.stderr)

    def test_fs_11_the_whole_of_etc_can_be_hidden(self):
        done = self.machine.start("ls -A /etc; cat /etc/passwd", "--hide", "/etc")
        self.assertEqual(done.stdout, "")
        self.assertIn("'/etc' is hidden, and with it what is shown by default", done.stderr)

    def test_fs_11_what_a_rule_names_in_a_hidden_directory_is_shown(self):
        done = self.machine.start("find /etc/ssl -type f", "--hide", "/etc/ssl", "--ro", "/etc/ssl/openssl.cnf")
        self.assertEqual(done.stdout, "/etc/ssl/openssl.cnf\n")

    def test_fs_11_what_the_default_policy_shows_goes_too_and_what_the_user_s_file_shows_is_told(self):
        for name in ("git/config", "tool/settings"):
            path = self.machine.home / ".config" / name
            path.parent.mkdir(parents=True)
            path.write_text("[x]\n")
        policy = self.machine.home / ".config/agentctl/policy.toml"
        policy.parent.mkdir()
        policy.write_text('[files]\nread-only = ["~/.config/tool"]\n')
        done = self.machine.start("ls ~/.config", "--hide", "~/.config")
        self.assertEqual(done.stdout, "tool\n", done.stderr)
        self.assertIn(f"'~/.config' is hidden but for '{self.machine.home}/.config/tool', which {policy}:2:14 shows",
                      done.stderr)
        self.assertIn(f"with it what is shown by default: '{self.machine.home}/.config/git'", done.stderr)

    def test_a_directory_that_every_program_needs_is_refused_and_the_remedy_named(self):
        for name in ("/usr", "/usr/", "/lib64"):
            with self.subTest(name=name):
                done = self.machine.start("true", "--hide", name)
                self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        done = self.machine.start("true", "--hide", "/usr")
        self.assertIn("'/usr' is a place without which no program runs", done.stderr)
        self.assertIn("hint: hide what matters in it", done.stderr)

    def test_a_part_of_what_programs_need_can_be_hidden(self):
        done = self.machine.start("ls -A /usr/share/doc | wc -l; ls /usr/bin/env", "--hide", "/usr/share/doc")
        self.assertEqual(done.stdout, "0\n/usr/bin/env\n", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
