# SPDX-License-Identifier: Apache-2.0
"""What lies above a hidden path is swapped on the host while sessions start: what they start with is hidden, or none runs."""
import contextlib
import os
import select
import unittest

from machine import Machine
from mask_view import MaskView
from swapping import Swapping, swap_for_ever
from waiting import Deadline

STARTS = 40
SECRET = "canary-7f3a\n"


class HiddenSwaps(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project
        self.key = self.write(self.project / "work/key")

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
        return path

    def shows(self, view):
        """Whether the secret is read through the hidden path, whatever stands on the way to it now."""
        try:
            return (view / self.key).read_text() == SECRET
        except OSError:
            return False

    def start_often(self, swap, *paths):
        """The swapping ends when the agent runs, or does not come to run; what it left is what the session meets."""
        ran = 0
        for _ in range(STARTS):
            with contextlib.ExitStack() as stack:
                with Swapping(swap, *paths):
                    try:
                        session = stack.enter_context(self.machine.session("true", "-q", "--hide", "work/key"))
                    except Deadline as refused:
                        self.assertIn("agentctl: ", str(refused))
                        continue
                ran += 1
                self.wait_until_hidden_or_ended(session)
        return ran

    def wait_until_hidden_or_ended(self, session):
        """A link in the place of a directory that is held in place ends the session."""
        ended = os.pidfd_open(session.supervisor.pid)
        self.addCleanup(os.close, ended)
        try:
            view = MaskView(session)
            with open(f"/proc/{view.leader}/mountinfo", encoding="utf-8") as table:
                poll = select.poll()
                poll.register(table, select.POLLPRI)
                poll.register(ended, select.POLLIN)
                while session.supervisor.poll() is None and self.shows(view):
                    self.assertTrue(poll.poll(10_000), "the key is not hidden, and the session lives")
        except (OSError, ValueError):
            pass  # it has ended, which /proc says in several ways
        if session.supervisor.poll() is not None:
            done = session.finish()
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn("it is a symbolic link now", done.stderr)

    def test_fs_08_a_directory_exchanged_with_another_shows_the_key_of_neither(self):
        self.write(self.project / "other/key")
        self.assertGreater(self.start_often(swap_for_ever, self.project / "work", self.project / "other"), 0)

    def test_fs_08_a_directory_exchanged_with_a_link_shows_no_key_through_either(self):
        self.write(self.project / "elsewhere/key")
        link = self.project / "link"
        link.symlink_to("elsewhere")
        self.assertGreater(self.start_often(swap_for_ever, self.project / "work", link), 0)

    def test_fs_08_a_file_exchanged_with_another_is_hidden_whichever_stands_there(self):
        other = self.write(self.project / "work/other")
        self.assertGreater(self.start_often(swap_for_ever, self.key, other), 0)

    def test_fs_08_a_file_exchanged_with_a_link_is_hidden_with_what_the_link_leads_to(self):
        self.write(self.project / "elsewhere/key")
        link = self.project / "work/link"
        link.symlink_to("../elsewhere/key")
        self.assertGreater(self.start_often(swap_for_ever, self.key, link), 0)

    def test_fs_08_a_pinned_directory_that_the_host_replaces_by_a_link_ends_the_session(self):
        self.write(self.project / "elsewhere/key")
        with self.machine.session("true", "--hide", "work/key") as session:
            (self.project / "work").rename(self.project / "was")
            (self.project / "work").symlink_to("elsewhere")
            done = session.finish()
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("it is a symbolic link now", done.stderr)

    def test_fs_08_a_link_in_a_read_only_tree_that_leads_the_path_elsewhere_shows_nothing_more(self):
        tree = self.machine.home / "reference"
        self.key = self.write(tree / "work/key")
        other = self.write(tree / "elsewhere/key")
        with self.machine.session("true", "--ro", "~/reference", "--hide", "~/reference/work/key") as session:
            view = MaskView(session)
            (tree / "work").rename(tree / "was")
            (tree / "work").symlink_to("elsewhere")
            view.wait_until_hidden(other)
            self.assertFalse(self.shows(view))
            self.assertTrue(view.hides(tree / "was/key"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
