# SPDX-License-Identifier: Apache-2.0
"""What `hide` names stays hidden whatever comes to stand at the name: seen through /proc/PID/root."""
import os
import stat
import unittest

from listing import listing
from machine import Machine
from mask_view import MaskView, replace

SECRET = "canary-7f3a\n"


class HiddenNames(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)
        self.project = self.machine.project

    def session(self, *hidden, script="true", options=(), **more):
        words = [word for name in hidden for word in ("--hide", name)]
        return self.machine.session(script, *words, *options, **more)

    def write(self, name, text=SECRET):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def link(self, name, target):
        path = self.project / name
        path.symlink_to(target)
        return path

    def test_fs_02_a_hidden_link_that_the_host_replaces_by_a_file_stays_hidden(self):
        self.write("vault/key")
        link = self.link("secret", "vault/key")
        with self.session("secret") as session:
            view = MaskView(session)
            self.assertEqual(os.readlink(view / link), "vault/key", "the link itself stays")
            replace(link, SECRET)  # as `sed -i` does
            view.wait_until_hidden(link)
            self.assertFalse(link.is_symlink())
            self.assertEqual(link.read_text(), SECRET)

    def test_fs_02_every_link_of_a_chain_is_guarded_at_its_name(self):
        self.write("vault/key")
        chain = [self.link("one", "two"), self.link("two", "three"), self.link("three", "vault/key")]
        for link in chain:
            with self.subTest(link=link.name), self.session("one") as session:
                view = MaskView(session)
                replace(link, SECRET)
                view.wait_until_hidden(link)
                link.unlink()
                link.symlink_to({"one": "two", "two": "three", "three": "vault/key"}[link.name])

    def test_fs_02_a_link_that_the_host_leads_to_another_file_hides_that_one(self):
        self.write("vault/old")
        new = self.write("vault/new")
        link = self.link("secret", "vault/old")
        with self.session("secret") as session:
            view = MaskView(session)
            self.assertEqual((view / new).read_text(), SECRET)
            self.link("later", "vault/new").rename(link)
            view.wait_until_hidden(new)
            view.wait(lambda: (view / link).read_text() == "", "the link to show nothing")

    def test_fs_01_a_link_above_that_the_host_leads_elsewhere_hides_what_it_leads_to(self):
        self.write("releases/1/.env")
        new = self.write("releases/2/.env")
        current = self.link("current", "releases/1")
        with self.session("current/.env") as session:
            view = MaskView(session)
            self.assertTrue(view.hides(self.project / "releases/1/.env"))
            self.link("next", "releases/2").rename(current)
            view.wait_until_hidden(new)
            self.assertEqual(os.readlink(view / current), "releases/2", "the link can be used")

    def test_fs_01_a_link_above_that_the_host_leads_to_another_directory_of_the_name_is_closed(self):
        self.write("releases/1/keys/id")
        self.write("releases/2/keys/id")
        current = self.link("current", "releases/1")
        with self.session("current/keys") as session:
            view = MaskView(session)
            self.link("next", "releases/2").rename(current)
            view.wait(lambda: view.is_mount_point(current), "the link to be covered")
            self.assertFalse((view / current / "keys").exists())

    def test_fs_01_a_link_above_that_becomes_a_directory_hides_what_is_in_it(self):
        self.write("real/secret")
        link = self.link("config", "real")
        with self.session("config/secret") as session:
            view = MaskView(session)
            link.unlink()
            made = self.write("config/secret")
            view.wait_until_hidden(made)
            self.assertTrue(view.hides(self.project / "real/secret"))

    def test_mask_01_what_comes_to_be_at_a_hidden_name_is_hidden(self):
        with self.session(".env", "keys", "a/b/c") as session:
            view = MaskView(session)
            view.wait_until_hidden(self.write(".env"))
            made = self.project / "keys"
            self.write("new/id").parent.rename(made)
            view.wait_until_hidden(made)
            view.wait_until_hidden(self.write("a/b/c"))
            self.assertEqual((made / "id").read_text(), SECRET)

    def test_fs_02_what_a_link_to_nothing_comes_to_lead_to_is_hidden(self):
        (self.project / "shared").mkdir()
        link = self.link(".env", "shared/.env")
        with self.session(".env") as session:
            view = MaskView(session)
            end = self.write("shared/.env")
            view.wait_until_hidden(end)
            self.assertEqual((view / link).read_bytes(), b"")

    def test_what_the_agent_makes_at_a_hidden_name_is_hidden_too_and_the_session_goes_on(self):
        with self.session(".env", script="echo mine > .env") as session:
            view = MaskView(session)
            view.wait_until_hidden(self.project / ".env")
            self.assertEqual((self.project / ".env").read_text(), "mine\n")
            self.assertEqual(session.status()["state"], "running")

    def test_what_appears_while_a_session_starts_is_never_read(self):
        script = "cat .env link 2>/dev/null; true"
        for _ in range(10):
            self.link("link", "gone")
            starting = self.machine.popen("start", "-q", "--hide", ".env", "--hide", "link", "--", "sh", "-c", script)
            self.write(".env")
            replace(self.project / "link", SECRET)
            output, errors = starting.communicate(timeout=60)
            self.assertEqual((starting.returncode, output), (0, ""), errors)
            for name in (".env", "link"):
                (self.project / name).unlink()

    def test_nothing_is_made_on_the_host_and_what_it_makes_is_as_it_made_it(self):
        self.link("secret", "gone")
        before = listing(self.project)
        with self.session("secret", "keys/id", ".env") as session:
            made = self.write(".env")
            MaskView(session).wait_until_hidden(made)
            self.assertEqual(stat.S_IMODE(made.stat().st_mode), 0o644)
        self.assertEqual(listing(self.project) - before, {".env"})

    def test_it_is_told_once_and_stands_in_the_receipt(self):
        with self.session(".env") as session:
            made = self.write(".env")
            MaskView(session).wait_until_hidden(made)
            self.machine.run("stop", session.name)
            done = session.finish()
        told = f"'{made}' has appeared: hidden"
        self.assertEqual(done.stderr.count(told), 1, done.stderr)
        self.assertEqual(self.machine.receipts()[0]["restored"], [told])


if __name__ == "__main__":
    unittest.main(verbosity=2)
