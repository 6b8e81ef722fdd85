# SPDX-License-Identifier: Apache-2.0
"""Several sessions in one project: none may lay open what another hides, nor does the end of one."""
import unittest

from machine import Machine
from mask_view import MaskView, replace


class SharedProject(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.env = self.machine.project / ".env"
        self.env.write_text("OLD\n")

    def test_mask_04_a_second_session_that_hides_less_is_refused_and_told_what(self):
        with self.machine.session("true", "--hide", ".env", name="first"):
            done = self.machine.start("touch ran")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"session 'first' runs in this project and takes away more: hide {self.env}", done.stderr)
            self.assertIn("agentctl stop first", done.stderr)
            self.assertFalse((self.machine.project / "ran").exists())
            self.assertEqual([each["name"] for each in self.machine.sessions()], ["first"])

    def test_mask_04_it_is_the_rule_that_counts_not_what_is_there(self):
        with self.machine.session("true", "--hide", ".env"):
            self.env.unlink()
            self.assertEqual(self.machine.start("true").returncode, 3)
            self.assertEqual(self.machine.start("true", "--hide", ".env").returncode, 0)

    def test_mask_04_a_second_session_that_protects_less_is_refused(self):
        with self.machine.session("true"):
            policy = self.machine.home / ".config/agentctl/policy.toml"
            policy.parent.mkdir(parents=True)
            policy.write_text('[files]\nprotect = ["!./.git/config"]\n')
            done = self.machine.start("true")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"protect {self.machine.project}/.git/config", done.stderr)

    def test_a_session_that_hides_more_or_differs_in_limits_may_join(self):
        with self.machine.session("true"):
            done = self.machine.start("true", "--hide", ".env", "--tasks-max", "100")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_another_project_is_another_matter(self):
        other = self.machine.home / "other"
        other.mkdir()
        with self.machine.session("true", "--hide", ".env"):
            self.assertEqual(self.machine.start("true", cwd=other).returncode, 0)

    def test_once_the_first_has_ended_the_second_may_hide_less(self):
        with self.machine.session("true", "--hide", ".env"):
            pass
        self.assertEqual(self.machine.start("true").returncode, 0)

    def test_mask_04_the_end_of_one_session_lays_nothing_open_in_the_other(self):
        with self.machine.session("true", "--hide", ".env", name="first") as first:
            view = MaskView(first)
            for _ in range(2):
                self.assertEqual(self.machine.start("test ! -s .env", "--hide", ".env").returncode, 0)
                self.assertTrue(view.hides(self.env))
            self.assertEqual(self.env.read_text(), "OLD\n")

    def test_mask_07_a_replaced_file_is_hidden_again_in_each(self):
        with self.machine.session("true", "--hide", ".env", name="first") as first:
            first.pipe.rename(first.pipe.with_name(".first"))
            with self.machine.session("true", "--hide", ".env", name="second") as second:
                replace(self.env, "NEW\n")
                for session in (first, second):
                    MaskView(session).wait_until_hidden(self.env)
            first.pipe.with_name(".first").rename(first.pipe)
            self.assertTrue(MaskView(first).hides(self.env))


if __name__ == "__main__":
    unittest.main(verbosity=2)
