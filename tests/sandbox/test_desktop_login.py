# SPDX-License-Identifier: Apache-2.0
"""A graphical login as a whole: the installed menu entry, the window, the session in it, and the login-session service."""
import subprocess
import unittest

from bus_client import BusClient
from desktop import Desktop, install, used_before
from manager_service import BUS, LoginService
from notification_server import NotificationServer

HOG = """#!/bin/sh
echo "$0" > .agent
exec python3 -c 'held = []
while True: held.append(bytes(1 << 20) + b"x")'
"""


class DesktopLogin(unittest.TestCase):
    def test_an_agent_from_the_menu_that_takes_too_much_memory_is_told_by_the_service(self):
        with Desktop() as desktop, BusClient(BUS), LoginService(desktop), NotificationServer(BUS) as notifications:
            prefix = desktop.root / "prefix"
            install(prefix)
            used_before(desktop)
            desktop.add_agent("claude", HOG)
            policy = desktop.home / ".config/agentctl/policy.toml"
            policy.parent.mkdir(parents=True, exist_ok=True)
            policy.write_text('[limits]\nmemory-max = "64M"\n')
            desktop.add_stub("zenity", "2", "1")
            subprocess.run(["gio", "launch", str(prefix / "share/applications/agentctl.desktop")], env=desktop.environment, check=True,
                           stdin=subprocess.DEVNULL, timeout=60)
            self.assertEqual(desktop.wait_for_agent(desktop.home / "dev/old"), str(desktop.agent))
            told = notifications.wait_for("Session killed: claude-old", 60)
            self.assertRegex(told.body, r"^killed by the memory limit: peak 6\d\.\dM of 64\.0M after ")
            self.assertTrue(told.body.endswith(f"\n{desktop.home}/dev/old"), told.body)
            desktop.display.close(desktop.display.wait_for_window())


if __name__ == "__main__":
    unittest.main(verbosity=2)
