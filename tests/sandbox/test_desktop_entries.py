# SPDX-License-Identifier: Apache-2.0
"""The desktop's entries as `make install` installs them, used as a desktop does."""
import configparser
import os
import shlex
import subprocess
import unittest

import processes
from desktop import Desktop, install, used_before


class Entries(unittest.TestCase):
    """The files of `make install`, as a desktop uses them: by paths alone, with a login's environment."""

    def setUp(self):
        self.desktop = Desktop()
        self.desktop.__enter__()
        self.addCleanup(self.desktop.__exit__)
        self.prefix = self.desktop.root / "the prefix"
        install(self.prefix)
        self.share = self.prefix / "share"
        self.entry = self.share / "applications/agentctl.desktop"

    def gio_launch(self, *files):
        done = subprocess.run(["gio", "launch", str(self.entry), *files], env=self.desktop.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def exec_line(self, path, group):
        entry = configparser.RawConfigParser(interpolation=None, strict=True)
        entry.optionxform = str
        entry.read(path, encoding="utf-8")
        return entry[group]["Exec"]

    def run_line(self, line, *files):
        """As a desktop does: the quoting of the specification, and %f as one word."""
        words = [word for part in shlex.split(line) for word in (files if part == "%f" else (part,))]
        return subprocess.run(words, env=self.desktop.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              check=False, timeout=60)

    def test_gio_launch_opens_a_window_with_an_agent_in_the_project_that_is_chosen(self):
        desktop = self.desktop
        used_before(desktop)
        desktop.add_stub("zenity", "2", "1")
        self.gio_launch()
        self.assertEqual(desktop.wait_for_agent(desktop.home / "dev/old"), str(desktop.agent))
        (session,) = desktop.sessions()
        self.assertEqual(session["project"], str(desktop.home / "dev/old"))
        self.assertEqual(processes.arguments(session["pids"]["supervisor"])[0], str(self.prefix / "bin/agentctl"))
        desktop.display.close(desktop.display.wait_for_window())
        desktop.wait_until_nothing_runs()

    def test_gio_launch_with_a_directory_takes_that_one(self):
        desktop = self.desktop
        desktop.add_stub("zenity", "1")
        project = desktop.home / os.fsdecode(b"100% odd \xff '\"")
        project.mkdir()
        self.gio_launch(str(project))
        desktop.wait_for_agent(project)

    def test_the_action_open_project_asks_for_a_directory(self):
        desktop = self.desktop
        used_before(desktop)
        desktop.add_stub("zenity", str(desktop.project), "1")
        done = self.run_line(self.exec_line(self.entry, "Desktop Action open-project"))
        self.assertEqual(done.returncode, 0, done.stderr)
        desktop.wait_for_agent(desktop.project)

    def test_the_action_sessions_shows_them_live_in_a_window(self):
        desktop = self.desktop
        done = self.run_line(self.exec_line(self.entry, "Desktop Action sessions"))
        self.assertEqual(done.returncode, 0, done.stderr)
        window = desktop.display.wait_for_window()
        (program,) = desktop.window_program()
        (child,) = [pid for pid in processes.every() if processes.parent(pid) == program]
        self.assertEqual(processes.arguments(child)[1:], ["status", "--watch"])
        desktop.display.close(window)
        desktop.wait_until_nothing_runs()

    def test_the_action_stop_all_ends_them_and_tells_so(self):
        desktop = self.desktop
        desktop.add_stub("notify-send", status=0)
        line = self.exec_line(self.entry, "Desktop Action stop-all")
        with desktop.session(":") as session:
            done = self.run_line(line)
            self.assertEqual(done.returncode, 0, done.stderr)
            session.finish()
        self.assertEqual(desktop.call(0)[-2:], ["All agent sessions have ended", "s"])
        self.assertEqual(self.run_line(line).returncode, 0)
        self.assertEqual(desktop.call(1)[-2:], ["No agent session was running", ""])

    def test_the_menus_of_file_managers_pass_a_directory_as_it_is(self):
        desktop = self.desktop
        menus = [(self.share / "kio/servicemenus/agentctl.desktop", "Desktop Action launch-agent"),
                 (self.share / "Thunar/sendto/agentctl.desktop", "Desktop Entry")]
        desktop.add_stub("zenity", *["1"] * 3)
        for number, (path, group) in enumerate(menus):
            project = desktop.home / f"-pro j%f'{number}"
            project.mkdir()
            done = self.run_line(self.exec_line(path, group), str(project))
            self.assertEqual(done.returncode, 0, done.stderr)
            desktop.wait_for_agent(project)
        project = desktop.home / "-of nautilus\n"
        project.mkdir()
        done = subprocess.run([self.share / "agentctl/nautilus-script", project.name], cwd=desktop.home, env=desktop.environment,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        desktop.wait_for_agent(project)

    def test_no_entry_among_the_applications_opens_directories(self):
        for path in (self.share / "applications").iterdir():
            self.assertNotIn("\nMimeType", path.read_text())

    def test_the_icon_is_where_the_entry_names_it(self):
        self.assertIn("\nIcon=agentctl\n", self.entry.read_text())
        self.assertIn("<svg", (self.share / "icons/hicolor/scalable/apps/agentctl.svg").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
