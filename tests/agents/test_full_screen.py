# SPDX-License-Identifier: Apache-2.0
"""A real agent on a terminal, full-screen, in a session: it draws, Ctrl-C ends its tool call alone, a resize arrives."""
import fcntl
import os
import struct
import sys
import termios
import unittest

from session import START_SECONDS, Scratch


def window_size(terminal):
    fd = os.open(terminal, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        return struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))[:2]
    finally:
        os.close(fd)


class FullScreen(unittest.TestCase):
    agent = ""

    def type_prompt(self, terminal, prompt, end):
        mark = terminal.mark()
        terminal.send(prompt)
        terminal.expect(end, since=mark)
        terminal.send("\r")
        return mark

    def test_draws_is_interrupted_and_resized(self):
        with Scratch(self.agent) as scratch:
            scratch.make_pipe(".alive")
            with scratch.start_on_terminal(["--quiet", "--name", "screen"], scratch.agent.full_screen()) as terminal:
                terminal.expect(scratch.agent.drawn, START_SECONDS)
                leader = scratch.status("screen")["pids"]["leader"]

                self.type_prompt(terminal, "RUN: exec 9> .alive; echo started >&9; tail -f /dev/null", "/dev/null")
                self.assertEqual(scratch.hear(".alive", terminal.process), "started\n")
                mark = terminal.mark()
                scratch.agent.interrupt(terminal)
                terminal.expect("[Ii]nterrupted", since=mark)
                scratch.wait_until_closed(".alive")

                status = scratch.status("screen")
                self.assertEqual((status["state"], status["pids"]["leader"]), ("running", leader))

                mark = terminal.mark()
                terminal.resize(30, 90)
                terminal.expect(lambda text: len(text) > 50, since=mark)  # it draws its screen anew
                self.assertEqual(window_size(status["tty"]), (30, 90))

                mark = self.type_prompt(terminal, "RUN: echo again > again.txt", "again.txt")
                terminal.expect("FAKE-DONE", START_SECONDS, since=mark)
                self.assertEqual((scratch.project / "again.txt").read_text(), "again\n")

                scratch.agent.leave(terminal)
                self.assertEqual(terminal.wait(), 0)
                self.assertEqual(terminal.settings(), terminal.settings_before)
            self.assertEqual(scratch.query("status", "--json").split(), ["[]"])


if __name__ == "__main__":
    FullScreen.agent = sys.argv.pop(1)
    unittest.main(verbosity=2)
