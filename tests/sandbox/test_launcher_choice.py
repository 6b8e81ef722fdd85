# SPDX-License-Identifier: Apache-2.0
"""How the launcher asks and tells: on a terminal, by the desktop's dialog programs, and in a window of its own."""
import os
import shutil
import signal
import unittest

from desktop import QUIET, Desktop, used, used_before
from machine import Machine
from pty_driver import PtyDriver


class OnATerminal(unittest.TestCase):
    def terminal(self, machine, *arguments):
        path = machine.home / ".local/bin/claude"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(QUIET)
        path.chmod(0o755)
        return lambda *more: PtyDriver([machine.agentctl, "launch", *arguments, *more], machine.environment, machine.home)

    def test_a_recent_project_is_chosen_by_its_number_and_started_here(self):
        with Machine() as machine:
            launch = self.terminal(machine)
            old, gone, new = used(machine, "old", "gone", "new")
            gone.rmdir()
            with launch("-p", "claude") as terminal:
                text = terminal.expect(r"another directory \[1\]: ").string
                self.assertIn("  1  ~/dev/new  (claude)\r\n  2  ~/dev/old  (claude)\r\n", text)
                self.assertNotIn("gone", text)
                terminal.send("2\n")
                self.assertEqual(terminal.wait(), 0)
            self.assertTrue((old / ".agent").exists())
            self.assertFalse((new / ".agent").exists())

    def test_a_name_is_found_by_a_part_of_it_and_an_agent_by_its_own(self):
        with Machine() as machine:
            launch = self.terminal(machine)
            used(machine, "webshop", "website", "api")
            with launch() as terminal:
                terminal.expect(r"\[1\]: ")
                terminal.send("web\n")
                terminal.expect(r"1  ~/dev/api.*Project, the last used first:\s+2  ~/dev/website.*3  ~/dev/webshop".replace(".*", r"[\s\S]*"))
                terminal.send("shop\n")
                terminal.expect(r"Agent:\s+1  claude\s+2  shell\s")
                terminal.send("cla\n")
                self.assertEqual(terminal.wait(), 0)
            self.assertTrue((machine.home / "dev/webshop/.agent").exists())

    def test_any_directory_may_be_typed_and_one_that_is_not_there_is_refused(self):
        with Machine() as machine:
            launch = self.terminal(machine, "-p", "claude")
            (machine.home / "a b").mkdir()
            with launch() as terminal:
                terminal.expect("Path of a directory: ")
                terminal.send("~/a b\n")
                self.assertEqual(terminal.wait(), 0)
            self.assertTrue((machine.home / "a b/.agent").exists())
            with launch() as terminal:
                terminal.expect(r"\[1\]: ")
                terminal.send("~/nowhere\n")
                terminal.expect("nowhere' as the project: No such file or directory")
                self.assertEqual(terminal.wait(), 2)

    def test_ctrl_c_and_the_end_of_the_input_start_nothing(self):
        with Machine() as machine:
            launch = self.terminal(machine, "-p", "claude")
            (project,) = used(machine, "one")
            for key, status in (("\x03", -signal.SIGINT), ("\x04", 1)):
                with launch() as terminal:
                    terminal.expect(r"\[1\]: ")
                    terminal.send(key)
                    self.assertEqual(terminal.wait(), status)
                    self.assertEqual(terminal.settings(), terminal.settings_before)
            self.assertFalse((project / ".agent").exists())

    def test_without_an_agent_it_says_so(self):
        with Machine() as machine, PtyDriver([machine.agentctl, "launch", str(machine.project)], machine.environment, machine.home) as terminal:
            terminal.expect("no agent that agentctl knows is found")
            self.assertEqual(terminal.wait(), 1)


class InWindows(unittest.TestCase):
    def test_the_desktops_dialogs_ask_for_project_and_agent(self):
        with Desktop() as desktop:
            used_before(desktop)
            desktop.add_stub("zenity", "2", "1")
            done = desktop.launch()
            self.assertEqual(done.returncode, 0, done.stderr)
            desktop.wait_for_agent(desktop.home / "dev/old")
            projects, agents = desktop.call(0), desktop.call(1)
            self.assertEqual(projects[:2], ["zenity", "--list"])
            self.assertEqual(projects[-6:], ["1", "~/dev/new  (claude)", "2", "~/dev/old  (claude)", "3", "Another directory …"])
            self.assertEqual(agents[-4:], ["1", "claude", "2", "shell"])

    def test_another_directory_may_be_chosen_whatever_its_name(self):
        with Desktop() as desktop:
            used_before(desktop)
            project = desktop.home / os.fsdecode(b"odd \xff\n")
            project.mkdir()
            desktop.add_stub("zenity", "3", str(project))
            done = desktop.launch("-p", "claude")
            self.assertEqual(done.returncode, 0, done.stderr)
            desktop.wait_for_agent(project)
            self.assertEqual(desktop.call(1)[1:3], ["--file-selection", "--directory"])

    def test_closing_a_question_starts_nothing_and_opens_nothing(self):
        with Desktop() as desktop:
            used_before(desktop)
            desktop.add_stub("zenity", "1")
            done = desktop.launch()
            self.assertEqual((done.returncode, done.stderr), (1, "agentctl: nothing is chosen\n"))
            self.assertEqual(len(desktop.call(1)) > 0, True)
            self.assertEqual((desktop.display.windows(), desktop.sessions()), ([], []))

    def test_on_kde_its_own_dialogs_ask(self):
        with Desktop() as desktop:
            used_before(desktop)
            desktop.environment["XDG_CURRENT_DESKTOP"] = "KDE"
            desktop.add_stub("zenity")
            desktop.add_stub("kdialog", "1")
            done = desktop.launch("-p", "claude")
            self.assertEqual(done.returncode, 0, done.stderr)
            desktop.wait_for_agent(desktop.home / "dev/new")
            self.assertEqual(desktop.call(0)[0], "kdialog")

    def test_without_dialog_programs_the_window_itself_asks(self):
        with Desktop(alone=True) as desktop:
            used_before(desktop)
            done = desktop.launch()
            self.assertEqual(done.returncode, 0, done.stderr)
            window = desktop.display.wait_for_window()
            desktop.display.type(window, "2", "Return", "Return")
            desktop.wait_for_agent(desktop.home / "dev/old")
            desktop.display.close(window)
            desktop.wait_until_nothing_runs()

    def test_a_session_starts_none(self):
        with Desktop() as desktop:
            shutil.copy(desktop.agentctl, desktop.project / "tool")
            done = desktop.start("./tool launch . 2>&1; echo $?", "-q")
            self.assertIn("cannot start a session inside a session", done.stdout)
            self.assertTrue(done.stdout.endswith("\n3\n"), done.stdout)


class Errors(unittest.TestCase):
    def test_no_terminal_emulator_is_told_by_a_dialog_and_on_standard_error(self):
        with Desktop(alone=True) as desktop:
            (desktop.programs / "xterm").unlink()
            desktop.add_stub("zenity", "")
            done = desktop.launch("-p", "claude", str(desktop.project))
            self.assertEqual(done.returncode, 1)
            self.assertIn("agentctl: cannot open a window: no terminal emulator is found\nhint: ", done.stderr)
            call = desktop.call(0)
            self.assertEqual(call[:3], ["zenity", "--error", "--no-markup"])
            self.assertIn("No session was started\n\ncannot open a window: no terminal emulator is found", call[-1])

    def test_a_dialog_that_cannot_be_shown_leaves_it_to_the_next(self):
        with Desktop() as desktop:
            desktop.environment["TERMINAL"] = "broken"
            desktop.add_stub("broken", status=9)
            desktop.add_stub("zenity", status=1)
            desktop.add_stub("notify-send", status=0)
            done = desktop.launch("-p", "claude", str(desktop.project))
            self.assertEqual(done.returncode, 1)
            self.assertIn("broken' ended with status 9", done.stderr)
            self.assertEqual([desktop.call(number)[0] for number in range(3)], ["broken", "zenity", "notify-send"])
            self.assertIn("ended with status 9", desktop.call(2)[-1])

    def test_an_emulator_that_finds_no_display_is_named_with_what_it_said(self):
        with Desktop() as desktop:
            desktop.environment["DISPLAY"] = ":4093"
            desktop.add_stub("zenity", "")
            done = desktop.launch("-p", "claude", str(desktop.project))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"xterm' ended with status 1: .*Can't open display")
            self.assertEqual(desktop.sessions(), [])

    def test_without_a_display_and_a_terminal_it_is_told_by_a_notification(self):
        with Desktop() as desktop:
            del desktop.environment["DISPLAY"]
            desktop.add_stub("zenity")
            desktop.add_stub("notify-send", status=0)
            done = desktop.launch(str(desktop.project))
            self.assertEqual(done.returncode, 1)
            self.assertIn("neither DISPLAY nor WAYLAND_DISPLAY is set", done.stderr)
            self.assertEqual(desktop.call(0)[0], "notify-send")

    def test_a_directory_that_is_not_there_is_told_and_its_name_does_no_harm(self):
        with Desktop() as desktop:
            desktop.add_stub("zenity", "")
            done = desktop.launch("--", "\x1b]0;<b>x\\n")
            self.assertEqual(done.returncode, 2)
            self.assertNotIn("\x1b", done.stderr)
            self.assertIn("\\\\x1b]0;<b>x\\\\n", desktop.call(0)[-1])
            self.assertEqual(desktop.display.windows(), [])

    def test_a_terminal_of_the_users_that_is_not_there_is_told_and_another_taken(self):
        with Desktop() as desktop:
            desktop.environment["TERMINAL"] = "nosuch"
            done = desktop.launch("-p", "claude", str(desktop.project))
            self.assertEqual((done.returncode, done.stderr),
                             (0, "agentctl: TERMINAL names 'nosuch', which is not found: taking another\n"))
            desktop.wait_for_agent(desktop.project)


if __name__ == "__main__":
    unittest.main(verbosity=2)
