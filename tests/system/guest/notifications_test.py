# SPDX-License-Identifier: Apache-2.0
"""What the login-session service tells the desktop of a session's memory, which cgroup v2 counts."""
import os

import machine
from login import LoginCase
from notification_server import NotificationServer
from payloads import HOG_IN_CHILD, python
from session import PROJECT

SERVICE = "agentctl.service"
BUS = f"unix:path={machine.RUNTIME}/bus"

# Cached files take all the room there is, and then have to make way, a megabyte each half second.
GROWS = """
import time
with open('cached', 'wb') as file:
    for _ in range(80):
        file.write(bytes(1 << 20))
held = []
while True:
    held.append(b'x' * (1 << 20))
    if len(held) > 40:
        with open('cached', 'rb') as file:
            while file.read(1 << 20):
                pass
        time.sleep(0.5)
"""


class Notifications(LoginCase):
    def setUp(self):
        super().setUp()
        machine.user_systemctl("daemon-reload")
        machine.user_systemctl("start", SERVICE)
        with machine.being_dev():
            self.desktop = NotificationServer(BUS)
        self.addCleanup(self.desktop.__exit__)

    def tearDown(self):
        machine.user_systemctl("stop", SERVICE)
        super().tearDown()

    def test_process_killed(self):
        """a process killed by the memory limit is told with the figures, and the button stops the session, which goes on"""
        waits = HOG_IN_CHILD + "\nimport signal\nsignal.pause()\n"
        session = self.start(*python(waits), options=("--memory-max", "64M"))
        told = self.desktop.wait_for("Process killed in guest", 60)
        self.assertRegex(told.body, r"^killed by the memory limit: peak 6\d\.\dM of 64\.0M\n" + str(PROJECT) + "$")
        self.assertEqual((told.hints["urgency"], told.actions), (2, {"stop": "Stop session"}))
        self.assertEqual("running", session.status()["state"])
        self.desktop.press(told, "stop")
        session.finish()

    def test_memory_nearly_used_up(self):
        """that a session nears its limit is told before anything is killed, and not while cached files alone fill it"""
        session = self.start(*python(GROWS), options=("--memory-max", "64M"))
        told = self.desktop.wait_for("Memory nearly used up in guest", 90)
        self.assertEqual([told.title], self.desktop.titles())
        self.assertRegex(told.body, r"^(5[7-9]|6[0-4])\.\dM of 64\.0M in use\n")
        self.assertEqual((told.hints["urgency"], told.actions), (1, {"stop": "Stop session"}))
        self.desktop.press(told, "stop")
        session.finish()
        os.unlink(PROJECT / "cached")
