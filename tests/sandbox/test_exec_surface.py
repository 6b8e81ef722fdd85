# SPDX-License-Identifier: Apache-2.0
"""What a session leaves that somebody on the host runs later is told at its end, and nothing else is."""
import json
import os
import subprocess
import unittest

from machine import Machine


class ExecSurface(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__, None, None, None)
        self.project = self.machine.project

    def after(self, script, *options):
        """Path below the project -> finding, of a session that ran the script."""
        ended = self.machine.start(script, *options)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.receipt = max(self.machine.receipts(), key=lambda receipt: receipt["ended_usec"])
        return {os.path.relpath(finding["path"], self.project): finding for finding in self.receipt["exec_surface"]}

    def write(self, path, text="x\n"):
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def test_git_05_each_kind_of_file_that_the_host_runs_is_told_when_it_is_new(self):
        paths = [".git/hooks/pre-commit", ".husky/pre-push", ".envrc", ".vscode/tasks.json", "package.json", "sub/Makefile",
                 ".claude/settings.local.json", ".mcp.json", "AGENTS.md", ".github/workflows/ci.yml", "venv/bin/python3",
                 "conftest.py", "run me.desktop", ".git/commondir", "sub/.gitattributes", ".git/modules/m/hooks/post-checkout"]
        found = self.after("git init -q . 2>/dev/null || mkdir .git\n" +
                           "\n".join(f"mkdir -p '{os.path.dirname(path) or '.'}'; echo x > '{path}'" for path in paths))
        self.assertEqual(set(paths) - set(found), set())
        self.assertEqual({found[path]["change"] for path in paths}, {"new"})
        self.assertEqual((found[".envrc"]["kind"], found[".envrc"]["run_by"]), ("environment file", "direnv, mise, a shell"))

    def test_git_05_what_is_only_read_or_is_not_run_is_not_told(self):
        for path in (".envrc", "Makefile", "src/main.c", "package.json"):
            self.write(path)
        found = self.after("cat Makefile .envrc > /dev/null; echo x >> src/main.c; echo x > notes.md; mkdir dir; ln -s src/main.c l")
        self.assertEqual(found, {})
        self.assertEqual((self.receipt["exec_surface_count"], self.receipt["exec_surface_gaps"]), (0, []))
        self.assertNotIn("may run", self.receipt["summary"])

    def test_new_executable_files_are_counted_and_the_first_ten_named_and_old_ones_are_not(self):
        for name in ("old.sh", "made-executable"):
            self.write(name)
        (self.project / "old.sh").chmod(0o755)
        script = ("mkdir -p a/b; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo x > a/b/$i; chmod +x a/b/$i; done; "
                  "echo x > top; chmod +x top; echo x > plain; echo x >> old.sh; mv a/b/1 a/b/moved")
        self.assertEqual(self.after(script), {})
        named = self.receipt["new_executables"]
        self.assertEqual((self.receipt["new_executable_count"], len(named), named[0]), (12, 10, f"{self.project}/top"))
        self.assertIn("; 12 new executable files: agentctl receipt ", self.receipt["summary"])
        text = self.machine.run("receipt", self.receipt["name"]).stdout
        self.assertIn(f"new executable files: 12 files\n  {self.project}/top\n", text)

    def test_git_05_a_change_in_place_is_told_whatever_time_the_agent_gives_the_file(self):
        self.write("Makefile")
        found = self.after("echo y >> Makefile; touch -d '2001-01-01' Makefile")
        self.assertEqual({path: finding["change"] for path, finding in found.items()}, {"Makefile": "changed"})

    def test_an_old_file_that_is_renamed_or_whose_directory_is_renamed_to_such_a_name_is_told(self):
        self.write("old/tasks.json")
        self.write("envrc")
        found = self.after("mv old .vscode; mv envrc .envrc")
        self.assertEqual(set(found), {".vscode", ".envrc"})

    def test_git_05_git_keys_that_run_programs_are_named_and_others_are_not_told(self):
        for repository in ("a/.git", "b/.git"):
            self.write(f"{repository}/config", "[core]\n\tbare = false\n")
        found = self.after("printf '[core]\\n fsmonitor = ./x\\n[alias]\\n st = !x\\n' >> a/.git/config\n"
                           "printf '[branch \"m\"]\\n remote = o\\n' >> b/.git/config")
        self.assertEqual({path: finding["detail"] for path, finding in found.items()},
                         {"a/.git/config": "core.fsmonitor, alias.st"})

    def test_git_05_hooks_in_the_directory_that_core_hookspath_names_are_told(self):
        self.write("sub/.git/config", "[core]\n\thooksPath = tools/run\n")
        self.write("sub/tools/run/pre-commit")
        found = self.after("echo y > sub/tools/run/pre-commit")
        self.assertEqual({path: finding["kind"] for path, finding in found.items()}, {"sub/tools/run/pre-commit": "git hook"})

    def test_a_directory_that_git_would_take_for_a_repository_is_told(self):
        found = self.after("mkdir -p odd/objects odd/refs odd/hooks; touch odd/HEAD odd/hooks/x\n"
                           "printf '[core]\\n fsmonitor = x\\n' > odd/config; mkdir -p new/.git; echo gitdir: /x > gitfile; "
                           "mkdir wt; mv gitfile wt/.git")
        self.assertEqual(set(found), {"odd/config", "odd/hooks/x", "new/.git", "wt/.git"})

    def test_a_file_reached_by_an_old_link_of_such_a_name_is_told(self):
        self.write("tools/hooks/pre-commit")
        self.write("tools/env")
        (self.project / ".githooks").symlink_to("tools/hooks")
        (self.project / ".envrc").symlink_to(self.project / "tools/env")
        config = self.machine.home / ".config/agentctl/policy.toml"
        config.parent.mkdir(parents=True)
        config.write_text('[files]\nhide = ["!./**/.envrc"]\n')
        found = self.after("echo y > tools/hooks/pre-commit; echo y > tools/env")
        self.assertEqual(set(found), {".githooks/pre-commit", ".envrc"})

    def test_fs_08_new_links_that_leave_the_project_are_told_with_their_targets(self):
        (self.project / "was").symlink_to("/etc")
        found = self.after("mkdir d; ln -s ../.bashrc a; ln -s /etc/passwd d/b; ln -s ../../.. d/c; ln -s was/passwd e; "
                           "ln -s d inside; ln -s nothing dangling")
        self.assertEqual({path: finding["detail"] for path, finding in found.items()},
                         {"a": "../.bashrc", "d/b": "/etc/passwd", "d/c": "../../..", "e": "was/passwd"})
        self.assertEqual(found["a"]["kind"], "link that leaves the project")

    def test_a_file_written_through_a_hard_link_from_outside_is_told(self):
        self.write("data")
        self.write("both")
        os.link(self.project / "data", self.machine.home / "store")
        os.link(self.project / "both", self.project / "other")
        found = self.after("echo y > data; echo y > both; ln both third")
        self.assertEqual({path: (finding["kind"], finding["detail"]) for path, finding in found.items()},
                         {"data": ("hard link", "2 names, 1 here")})

    def test_a_set_user_id_file_is_told(self):
        found = self.after("cp /bin/true x; chmod 4755 x; cp /bin/true node_modules 2>/dev/null; mkdir -p t/node_modules; "
                           "cp /bin/true t/node_modules/y; chmod 2755 t/node_modules/y")
        self.assertEqual({path: finding["kind"] for path, finding in found.items() if "ID" in finding["kind"]},
                         {"x": "set-user-ID file", "t/node_modules/y": "set-group-ID file"})

    def test_dependencies_are_told_once(self):
        found = self.after("mkdir -p node_modules/a node_modules/b; echo x > node_modules/a/package.json; echo x > node_modules/b/i.js")
        self.assertEqual(set(found), {"node_modules"})

    def test_names_are_shown_harmless_and_kept_whole(self):
        self.after("mkdir -p \"$(printf 'a\\033[31m\\nb')\"; touch \"$(printf 'a\\033[31m\\nb')/Makefile\"", "--name", "odd")
        path, = [finding["path"] for finding in self.receipt["exec_surface"]]
        self.assertEqual(path, f"{self.project}/a\033[31m\nb/Makefile")
        shown = self.machine.run("receipt", "odd").stdout
        self.assertIn("a\\x1b[31m\\x0ab/Makefile", shown)
        self.assertNotIn("\033", shown)

    def test_more_files_than_are_looked_at_are_a_gap_and_cost_no_more_than_a_second(self):
        many = self.project / "many"
        many.mkdir()
        for number in range(100):
            (many / str(number)).mkdir()
        subprocess.run(["sh", "-c", "for d in */; do (cd $d; seq 1100 | xargs touch); done"], cwd=many, check=True)
        found = self.after("echo x > Makefile")
        self.assertIn("Makefile", found)  # what lies higher is looked at first
        gap, = self.receipt["exec_surface_gaps"]
        self.assertRegex(gap, r"^only the first \d+ files were looked at$")

    def test_a_swarm_of_findings_is_counted_and_cut(self):
        found = self.after("for i in $(seq 250); do mkdir d$i; : > d$i/Makefile; done", "--name", "swarm")
        self.assertEqual((len(found), self.receipt["exec_surface_count"]), (200, 250))
        self.assertIn("and 50 more\n", self.machine.run("receipt", "swarm").stdout)

    def test_git_05_the_receipt_line_and_stop_tell_that_there_is_something(self):
        ended = self.machine.start("echo x > .envrc", "--name", "one")
        self.assertIn("1 file that the host may run changed: agentctl receipt one", ended.stderr)
        with self.machine.session("echo x > Makefile", name="two"):
            stopped = self.machine.run("stop", "two")
            self.assertIn("see 'agentctl receipt two'", stopped.stderr)
            self.assertIn(f"{self.project}/Makefile", self.machine.run("receipt", "two").stdout)


class Receipt(unittest.TestCase):
    def test_is_found_by_name_id_and_beginning_and_is_the_last_of_its_name(self):
        with Machine() as machine:
            for status in (3, 4):
                machine.start(f"exit {status}", "--name", "build-shop")
            machine.start("exit 5", "--name", "build")
            machine.start("exit 6", "--name", "test-a")
            machine.start("exit 7", "--name", "test-b")

            def status(name):
                return json.loads(machine.run("receipt", "--json", name).stdout)["exit_status"]

            self.assertEqual([status(name) for name in ("build-shop", "build-", "build", "test-b")], [4, 4, 5, 7])
            first = next(receipt for receipt in machine.receipts() if receipt["exit_status"] == 3)
            self.assertEqual(status(first["id"]), 3)
            text = machine.run("receipt", "test-a").stdout
            self.assertTrue(text.startswith("test-a: exited with 6 after "), text)
            ambiguous = machine.run("receipt", "test")
            self.assertEqual((ambiguous.returncode, "candidates: test-a, test-b" in ambiguous.stderr), (2, True))
            self.assertEqual(machine.run("receipt", "nobody").returncode, 1)

    def test_a_session_whose_supervisor_is_killed_has_a_receipt_that_says_so_and_what_it_left(self):
        with Machine() as machine:
            machine.start("exit 3", "--name", "s")
            with machine.session("echo x > Makefile; echo x > ~/left", name="s") as session:
                identity = session.known["id"]
                session.supervisor.kill()
                session.supervisor.wait()
                receipt = json.loads(machine.run("receipt", "--json", "s").stdout)
            self.assertEqual((receipt["id"], receipt["cause"]), (identity, "supervisor-lost"))
            self.assertIsNone(receipt["exit_status"])
            self.assertIn("ended without its supervisor, which was killed, at most ", receipt["summary"])
            self.assertEqual([finding["path"] for finding in receipt["exec_surface"]], [f"{machine.project}/Makefile"])
            text = machine.run("receipt", "s").stdout
            self.assertRegex(text, r"(?m)^found      20\d\d-\d\d-\d\d .*\n")
            self.assertRegex(text, r"(?m)^problem    its supervisor was killed")
            self.assertEqual(len(machine.receipts()), 2)

    def test_a_receipt_shows_its_times_and_project_and_whether_the_name_runs_again(self):
        with Machine() as machine:
            machine.start("exit 3", "--name", "s")
            quiet = machine.run("receipt", "s")
            times = r"began      (20.*) [+-]\d+\nended      20.* [+-]\d+$"
            self.assertRegex(quiet.stdout, rf"(?m)^project    {machine.project}\n{times}")
            self.assertEqual(quiet.stderr, "")
            with machine.session(":", name="s"):
                again = machine.run("receipt", "s")
            self.assertIn("exited with 3", again.stdout)
            told = "agentctl: 's' runs at present; this is the receipt of an earlier session of that name\n"
            self.assertEqual(again.stderr, told)

    def test_a_damaged_receipt_is_passed_over(self):
        with Machine() as machine:
            machine.start("exit 3", "--name", "whole")
            directory = machine.home / ".local/state/agentctl/receipts"
            (directory / "1a2b3c4d.json").write_text('{"id":"1a2b3c4d","name":"whole"')
            (directory / "2a2b3c4d.json").write_text('{"id":"another","name":"whole","ended_usec":99999999999999999}')
            self.assertIn("exited with 3", machine.run("receipt", "whole").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
