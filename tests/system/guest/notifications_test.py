# SPDX-License-Identifier: Apache-2.0
"""What the login-session service tells the desktop of a session's memory, which cgroup v2 counts."""
import os

import machine
import waiting
from login import LoginCase
from notification_server import NotificationServer
from payloads import HOG_IN_CHILD, python
from session import PROJECT, cgroup_of

SERVICE = "agentctl.service"
BUS = f"unix:path={machine.RUNTIME}/bus"

STEPS = PROJECT / "steps"
NEAR = 0.92  # of the limit; from nine tenths on the service tells

# One step for each byte that it is sent: first cached files take all the room there is, then they make way for a megabyte.
GROWS = """
steps = open('steps', 'rb', buffering=0)
def said(word):
    print(word, flush=True)
    return steps.read(1)
said('ready')
with open('cached', 'wb') as file:
    for _ in range(80):
        file.write(bytes(1 << 20))
held = []
while said('done'):
    held.append(b'x' * (1 << 20))
    with open('cached', 'rb') as file:
        while file.read(1 << 20):
            pass
"""


def share_held(cgroup):
    """The part of its limit that nothing but its own end can give back, by the kernel's files."""
    stat = dict(line.split() for line in (cgroup / "memory.stat").read_text().splitlines())
    cached = sum(int(stat[name]) for name in ("active_file", "inactive_file", "slab_reclaimable"))
    return (int((cgroup / "memory.current").read_text()) - cached) / int((cgroup / "memory.max").read_text())


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
        os.mkfifo(STEPS)
        os.chown(STEPS, machine.DEV.pw_uid, machine.DEV.pw_gid)
        steps = os.open(STEPS, os.O_RDWR | os.O_CLOEXEC)  # before the agent, whose opening of it waits for somebody who writes
        self.addCleanup(os.close, steps)
        session = self.start(*python(GROWS), options=("--memory-max", "64M")).expect("ready")
        cgroup = cgroup_of(session.status())
        with waiting.reads_of(cgroup / "memory.stat") as looked:
            os.write(steps, b".")
            session.expect("done")
            looked(60, "the service's look at a cgroup that is full of cached files")
        self.assertGreater(int((cgroup / "memory.current").read_text()), NEAR * int((cgroup / "memory.max").read_text()))
        self.assertEqual([], self.desktop.titles())
        while share_held(cgroup) < NEAR:
            os.write(steps, b".")
            session.expect("done")
        told = self.desktop.wait_for("Memory nearly used up in guest", 60)
        self.assertEqual([told.title], self.desktop.titles())
        self.assertRegex(told.body, r"^(5[7-9]|6[0-4])\.\dM of 64\.0M in use\n")
        self.assertEqual((told.hints["urgency"], told.actions), (1, {"stop": "Stop session"}))
        self.desktop.press(told, "stop")
        session.finish()
        os.unlink(PROJECT / "cached")
        os.unlink(STEPS)
