# SPDX-License-Identifier: Apache-2.0
"""What `hide` leaves inside: an empty read-only thing of the right type, and nothing new on the host."""
import itertools
import os
import pathlib
import signal
import unittest

from listing import listing
from machine import Machine
from mounts import mounts_of

SECRET = "canary-7f3a"


def make(path, text=SECRET):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def hide(*paths):
    return [word for path in paths for word in ("--hide", str(path))]


class Masks(unittest.TestCase):
    def test_a_hidden_file_is_an_empty_file_that_its_reader_may_read_and_nobody_write(self):
        with Machine() as machine:
            secret = make(machine.project / ".env")
            done = machine.start("stat -c '%F %a %u %s' .env; cat .env && echo readable; echo x > .env; rm .env; "
                                 "mv .env y; chmod 600 .env; id -u", *hide(".env"))
            self.assertEqual(done.stdout, f"regular empty file 400 {os.getuid()} 0\nreadable\n{os.getuid()}\n")
            for refusal in ("cannot create .env: Read-only file system", "cannot remove '.env': Device or resource busy",
                            "cannot move '.env' to 'y': Device or resource busy", "changing permissions of '.env'"):
                self.assertIn(refusal, done.stderr)
            self.assertEqual(secret.read_text(), SECRET)

    def test_mask_10_a_hidden_directory_is_an_empty_read_only_directory(self):
        with Machine() as machine:
            make(machine.project / "keys/id")
            done = machine.start("ls -A keys | wc -l; stat -c '%F %a' keys; touch keys/x; mkdir keys/d; rmdir keys; true",
                                 *hide("keys"))
            self.assertEqual(done.stdout, "0\ndirectory 500\n")
            self.assertEqual(done.stderr.count("Read-only file system"), 2, done.stderr)
            self.assertIn("Device or resource busy", done.stderr)

    def test_a_mask_is_seen_from_outside_as_a_read_only_bind_of_the_empty_file(self):
        with Machine() as machine:
            secret = make(machine.project / "sub/dir/.env")
            make(machine.project / "keys/id")
            with machine.session("true", *hide("sub/dir/.env", "keys")) as session:
                mounts = mounts_of(session.leader)
                source = mounts["/run/agentctl/.empty"]
                for path, root in ((secret, "/file"), (machine.project / "keys", "/directory")):
                    mask = mounts[str(path)]
                    self.assertEqual((mask.device, mask.root, mask.type), (source.device, root, "tmpfs"))
                    self.assertIn("ro", mask.options)
                inside = pathlib.Path(f"/proc/{session.leader}/root")
                self.assertEqual((inside / str(secret)[1:]).read_bytes(), b"")
                self.assertEqual(os.listdir(inside / str(machine.project / "keys")[1:]), [])
                self.assertIn(str(machine.project / "sub"), mounts, "the directory above could be renamed away")
                self.assertIn(str(machine.project / "sub/dir"), mounts)

    def test_mask_01_what_does_not_exist_is_not_masked_and_nothing_appears_on_the_host(self):
        absent = [".env", ".bashrc", ".gitconfig", ".vscode", ".idea", ".mcp.json", ".claude/settings.json", "a/b/c/.env",
                  "node_modules/.cache", ".git/config.lock", "key.pem", "~/.netrc"]
        with Machine() as machine:
            before = listing(machine.home)
            self.assertEqual(machine.start("find . -mindepth 1", *hide(*absent)).stdout, "")
            self.assertEqual(listing(machine.home, leave_out=".local"), before)
            with machine.session("true", *hide(*absent)) as session:
                during = listing(machine.home, leave_out=".local")
                self.assertEqual(during - before, {"project/.ready"})
                os.kill(session.supervisor.pid, signal.SIGKILL)
                session.supervisor.wait()
            self.assertEqual(listing(machine.home, leave_out=".local"), before)

    def test_fs_01_a_hidden_link_to_a_directory_hides_the_directory_under_both_names(self):
        with Machine() as machine:
            make(machine.project / "real/secret")
            (machine.project / "link").symlink_to("real")
            done = machine.start("ls -A link/ real; cat real/secret link/secret; true", *hide("link"))
            self.assertEqual(done.stdout, "link/:\n\nreal:\n")
            self.assertEqual(done.stderr.count("No such file"), 2, done.stderr)
            self.assertTrue((machine.project / "link").is_symlink())

    def test_fs_02_a_hidden_link_hides_what_it_leads_to_wherever_that_is_visible(self):
        with Machine() as machine:
            make(machine.home / "dot/netrc")
            (machine.home / ".netrc").symlink_to("dot/netrc")
            (machine.project / "chain").symlink_to(machine.home / ".netrc")
            script = "cat ~/.netrc; cat ~/dot/netrc; cat chain; stat -c %s ~/dot/netrc; true"
            for name in ("~/.netrc", "./chain"):
                done = machine.start(script, "--rw", "~/dot", *hide(name))
                self.assertNotIn(SECRET, done.stdout)
                self.assertEqual(done.stdout, "0\n", done.stderr)

    def test_fs_11_the_order_in_which_rules_are_written_changes_nothing(self):
        rules = [("read-only", "~/a"), ("read-write", "~/a/x"), ("hide", "~/a/x/s"), ("read-only", "~/a/x/s/open")]
        seen = set()
        with Machine() as machine:
            for name in ("a/f", "a/x/f", "a/x/s/f", "a/x/s/open/f"):
                make(machine.home / name)
            for order in itertools.permutations(rules):
                words = [word for name, path in order
                         for word in ({"read-only": "--ro", "read-write": "--rw", "hide": "--hide"}[name], path)]
                dry = machine.run("start", "--dry-run", *words, "--", "true")
                self.assertEqual(dry.returncode, 0, dry.stderr)
                seen.add(dry.stdout)
            self.assertEqual(len(seen), 1)
            done = machine.start("cd ~/a; cat f x/f x/s/open/f; cat x/s/f; for d in . x x/s x/s/open; do touch $d/n; done",
                                 *words)
            self.assertEqual(done.stdout, SECRET * 3)
            self.assertTrue((machine.home / "a/x/n").exists())
            self.assertEqual(done.stderr.count("Read-only file system"), 3, done.stderr)

    def test_mask_13_what_is_hidden_in_a_writable_directory_is_hidden_and_the_rest_stays_writable(self):
        with Machine() as machine:
            for name in ("share/keyrings/login.keyring", "share/app/data", "state/x"):
                (machine.home / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
                (machine.home / "tree" / name).write_text("secret\n")
            words = ("--rw", "~/tree", "--hide", "~/tree/share/keyrings")
            done = machine.start("cd ~/tree; cat share/keyrings/*; echo x > share/keyrings/new; echo x > share/app/data; mv share other; "
                                 "cat other/keyrings/*; true", *words)
            self.assertNotIn("secret", done.stdout + done.stderr)
            self.assertIn("Read-only", done.stderr)
            self.assertEqual((machine.home / "tree/share/app/data").read_text(), "x\n")
            self.assertEqual(os.listdir(machine.home / "tree/share/keyrings"), ["login.keyring"])

    def test_mask_06_three_thousand_masks_start_and_no_limit_of_bwrap_is_met(self):
        with Machine() as machine:
            for number in range(3100):
                make(machine.project / f"d{number % 31}/s{number}")
            names = [f"./d{number % 31}/s{number}" for number in range(3100)]
            config = machine.home / ".config/agentctl/policy.toml"
            make(config, "[files]\nhide = [" + ", ".join(f'"{name}"' for name in names) + "]\n")
            done = machine.start("cat d*/s* | wc -c")
            self.assertEqual((done.returncode, done.stdout.strip()), (0, "0"), done.stderr)
            dry = machine.run("start", "--dry-run", "--", "true")
            self.assertEqual(dry.returncode, 0, dry.stderr[-500:])


if __name__ == "__main__":
    unittest.main(verbosity=2)
