# SPDX-License-Identifier: Apache-2.0
"""Paths as people have them: odd names, links, homes elsewhere, entries that are missing or given in any order."""
import itertools
import os
import pathlib
import socket
import subprocess
import unittest

from machine import Machine

ODD_NAMES = [b"two words", b"line\nbreak", b"tab\there", b"q'uo\"te", b"-dash", b"$HOME", b"a*b?[c]", b"back\\slash", b"caf\xe9",
             b"\xff\xfe", b"~", b"#hash;", b"n" * 255, "ж".encode() * 127, b"...", b"a=b,c:d", b"%s%n"]


class Paths(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__, None, None, None)
        self.home, self.project = self.machine.home, self.machine.project

    def ok(self, *arguments, **options):
        ended = self.machine.start(*arguments, **options)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def refused(self, *arguments, **options):
        ended = self.machine.start(*arguments, **options)
        self.assertIn(ended.returncode, (2, 3, 125), ended.stderr)
        self.assertEqual(ended.stdout, "")
        return ended.stderr

    def policy(self, text):
        directory = self.home / ".config/agentctl"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "policy.toml").write_text(text)

    def test_fs_07_a_project_of_any_name_is_written_under_that_name(self):
        for name in ODD_NAMES:
            project = pathlib.Path(os.fsdecode(os.path.join(os.fsencode(self.home), name)))
            with self.subTest(name=name):
                project.mkdir()
                ended = self.machine.run("start", "-q", "--", "sh", "-c", "pwd -P > here", cwd=project)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertEqual((project / "here").read_bytes(), os.fsencode(project) + b"\n")
                self.assertEqual(os.listdir(project), ["here"])

    def test_entries_of_any_name_are_shown(self):
        for number, name in enumerate(ODD_NAMES):
            if name == b"a*b?[c]":
                continue  # a pattern, which no entry but hide and protect takes
            place = os.path.join(os.fsencode(self.machine.root), b"places", name)
            os.makedirs(place)
            pathlib.Path(os.fsdecode(place), "file").write_text(f"{number}\n")
            with self.subTest(name=name):
                argument = os.fsdecode(place)
                shown = self.machine.run("start", "-q", "--ro", argument, "--", "cat", f"{argument}/file")
                self.assertEqual((shown.returncode, shown.stdout), (0, f"{number}\n"), shown.stderr)

    def test_a_project_as_deep_as_paths_go_is_written(self):
        project = self.project
        while len(str(project)) < 3600:
            project /= "d" * 200
        project.mkdir(parents=True)
        self.ok("echo x > here", cwd=project)
        self.assertEqual((project / "here").read_text(), "x\n")

    def test_fs_04_no_destination_stands_twice_in_the_plan(self):
        plan = self.machine.run("start", "--dry-run", "--", "true").stdout
        places = [line.split()[-1] for line in plan.splitlines() if line.split()[:1] in (["symlink"], ["bind"], ["tmpfs"])]
        self.assertEqual(sorted(places), sorted(set(places)))
        self.assertEqual(self.ok("/bin/sh -c 'readlink /bin || echo directory'").strip(),
                         os.readlink("/bin") if os.path.islink("/bin") else "directory")

    def test_fs_07_a_project_given_by_a_link_has_both_names_inside(self):
        link = self.home / "link"
        link.symlink_to(self.project)
        environment = {**self.machine.environment, "PWD": str(link)}
        ended = self.machine.start("pwd -L; pwd -P; echo x > made; cat " + str(self.project) + "/made", cwd=link, env=environment)
        self.assertEqual(ended.stdout.split(), [str(link), str(self.project), "x"], ended.stderr)
        with self.machine.session(":", cwd=link, env=environment):
            self.assertEqual([session["project"] for session in self.machine.sessions()], [str(self.project)])

    def test_a_home_reached_by_a_link_has_both_names_inside(self):
        link = self.machine.root / "by-link"
        link.symlink_to(self.home)
        (self.home / "notes").write_text("n\n")
        environment = {**self.machine.environment, "HOME": str(link)}
        shown = self.ok(f"cat ~/notes {self.home}/notes; cd ~ && pwd -P; touch ~/lost", "--ro", "~/notes", env=environment)
        self.assertEqual(shown.split(), ["n", "n", str(self.home)])
        self.assertFalse((self.home / "lost").exists())

    def test_fs_08_a_link_that_leaves_the_project_stays_broken_and_grants_nothing(self):
        keys = self.home / "keys"
        keys.mkdir()
        (keys / "id").write_text("secret")
        (self.project / "keys").symlink_to(keys)
        self.assertEqual(self.ok("cat keys/id 2>/dev/null || readlink keys").strip(), str(keys))
        (self.project / ".agentctl.toml").write_text('[files]\nread-write = ["keys"]\n')
        self.assertIn(".agentctl.toml:2", self.refused("cat keys/id"))
        (self.project / ".agentctl.toml").unlink()
        self.assertEqual(self.ok("cat keys/id", "--ro", "keys"), "secret")

    def test_fs_01_a_hidden_link_to_a_directory_hides_what_it_leads_to(self):
        (self.project / "real").mkdir()
        (self.project / "real/file").write_text("secret")
        (self.project / "link").symlink_to("real")
        self.assertEqual(self.ok("cat link/file real/file 2>/dev/null; ls real link 2>/dev/null | grep -c file || true", "--hide", "link"), "0\n")
        self.assertEqual((self.project / "real/file").read_text(), "secret")

    def test_fs_09_a_missing_entry_is_refused_with_its_line_unless_it_is_optional_and_is_never_made(self):
        missing = self.machine.root / "nope"
        self.policy(f'[files]\nread-only = ["{missing}"]\n')
        self.assertRegex(self.refused("true"), r"policy\.toml:2:\d+: '.*nope' not found")
        self.policy(f'[files]\nread-only = ["{missing}"]\noptional = ["{missing}"]\n')
        self.ok("true")
        self.policy('[files]\nread-write = ["./LICENSE"]\noptional = ["./LICENSE"]\n')
        self.ok("true")
        self.assertEqual((missing.exists(), (self.project / "LICENSE").exists()), (False, False))

    def test_fs_11_the_most_specific_rule_wins_in_every_order(self):
        (self.home / "d/x/s").mkdir(parents=True)
        (self.home / "d/x/s/file").write_text("secret")
        (self.home / "d/plain").write_text("p")
        lines = ['read-only = ["~/d"]', 'read-write = ["~/d/x"]', 'hide = ["~/d/x/s"]']
        results = set()
        for order in itertools.permutations(lines):
            self.policy("[files]\n" + "\n".join(order) + "\n")
            results.add(self.ok("cat ~/d/plain; touch ~/d/x/new && echo wrote; touch ~/d/no 2>/dev/null || echo kept; "
                                "cat ~/d/x/s/file 2>/dev/null || echo hidden"))
        self.assertEqual(results, {"pwrote\nkept\nhidden\n"})

    def test_fs_13_a_home_that_others_may_not_enter_works_and_holds_no_socket(self):
        self.home.chmod(0o700)
        self.project.chmod(0o700)
        with self.machine.session(":"):
            sockets = [path for path in self.home.rglob("*") if path.is_socket()]
            self.assertEqual(sockets, [])

    def test_fs_15_a_working_directory_that_is_gone_is_refused(self):
        gone = self.project / "gone"
        gone.mkdir()
        argv = self.machine.start_argv("--", "true")
        ended = subprocess.run(["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(gone), *argv], env=self.machine.environment,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(ended.returncode, 125, ended.stderr)

    def test_fs_15_the_home_and_a_hidden_directory_are_no_working_directories(self):
        self.refused("true", cwd=self.home)
        (self.home / ".config/agentctl").mkdir(parents=True)
        self.refused("true", cwd=self.home / ".config/agentctl")
        self.assertIn("cannot be hidden", self.refused("true", "--hide", "."))

    def test_nothing_appears_in_the_home_or_the_project(self):
        for name in ("file", "dir"):
            (self.home / name).mkdir()
        self.ok("true")  # makes what is ours in the home

        def listing():
            return {str(path) for path in self.home.rglob("*") if "receipts" not in path.parts}
        before = listing()
        self.ok("touch ~/a ~/file/b; mkdir -p ~/.config/x", "--ro", "~/dir", "--hide", "./none", "--hide", "~/dir/none")
        self.assertEqual(listing(), before)

    def test_sockets_and_fifos_are_refused_as_entries(self):
        with socket.socket(socket.AF_UNIX) as server:
            path = str(self.home / "s")
            server.bind(path)
            self.assertIn("neither a file nor a directory", self.refused("true", "--ro", path))
        os.mkfifo(self.home / "f")
        self.assertIn("neither a file nor a directory", self.refused("true", "--ro", str(self.home / "f")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
