# SPDX-License-Identifier: Apache-2.0
"""A hidden file with more than one name."""
import os
import unittest

from machine import Machine

SECRET = "s3cret-canary\n"


class OtherNames(unittest.TestCase):
    def test_fs_11_every_name_in_the_project_of_a_hidden_file_is_hidden(self):
        with Machine() as machine:
            secret = machine.project / "conf.ini"
            secret.write_text(SECRET)
            (machine.project / "a/b").mkdir(parents=True)
            for name in ("copy", "a/b/copy"):
                os.link(secret, machine.project / name)
            (machine.project / "a/own").write_text("seen\n")
            with machine.session("cat conf.ini copy a/b/copy a/own >out; echo x >a/b/copy; true",
                                 "--hide", "conf.ini") as session:
                status = session.status()
                self.assertEqual(len(status["sandbox"]["hidden"]), 3)
                self.assertNotIn("hard link", " ".join(status["warnings"]))
            self.assertEqual((machine.project / "out").read_text(), "seen\n")
            self.assertEqual(secret.read_text(), SECRET)

    def test_fs_11_a_name_elsewhere_is_told_and_one_of_a_hidden_file_elsewhere_is_hidden(self):
        with Machine() as machine:
            secret = machine.project / "conf.ini"
            secret.write_text(SECRET)
            os.link(secret, machine.home / "elsewhere")
            with machine.session("true", "--hide", "conf.ini") as session:
                warnings = " ".join(session.status()["warnings"])
                self.assertIn("hard link", warnings)
                self.assertIn("conf.ini (2 names)", warnings)
            done = machine.start("cat conf.ini; true", "--hide", "~/elsewhere")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_a_directory_that_nobody_may_read_does_not_keep_a_session_from_starting(self):
        with Machine() as machine:
            secret = machine.project / "conf.ini"
            secret.write_text(SECRET)
            (machine.project / "closed").mkdir(mode=0)
            os.link(secret, machine.project / "copy")
            done = machine.start("cat conf.ini copy", "--hide", "conf.ini")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            (machine.project / "closed").chmod(0o700)


if __name__ == "__main__":
    unittest.main(verbosity=2)
