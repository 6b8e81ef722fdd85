# SPDX-License-Identifier: Apache-2.0
"""publish: more clients than there are descriptors for end nothing: neither the publisher nor, later, what is published then."""
import os
import select
import socket
import time
import unittest

import processes
from machine import Machine

KEEP = """
import select
import socket
listener = socket.create_server(("127.0.0.1", PORT), backlog=4000)
open(".ready", "w").write("serves\\n")
kept = []
while True:
    kept.append(listener.accept()[0])
"""
LIMIT, CLIENTS = 257, 240


class Exhausted(unittest.TestCase):
    def test_a_port_can_be_unpublished_and_published_again_while_its_clients_wait_for_descriptors(self):
        with Machine() as machine, socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
            probe.close()
            (machine.project / "keep.py").write_text(KEEP.replace("PORT", str(port)))
            limited = machine.root / "limited"
            limited.write_text(f'#!/bin/sh\nulimit -n {LIMIT}\nexec {machine.agentctl} "$@"\n')
            limited.chmod(0o755)
            machine.agentctl = str(limited)
            with machine.session("exec python3 keep.py", "--net", "none", "--publish", str(port), waits=True) as session:
                [publisher] = [pid for pid in processes.children(session.status()["pids"]["supervisor"])
                               if any("agentctl" in processes.program(child) for child in processes.children(pid))]
                clients = []
                self.addCleanup(lambda: [client.close() for client in clients])
                for number in range(CLIENTS):
                    family, address = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))[number % 2]
                    client = socket.socket(family)
                    client.setblocking(False)
                    client.connect_ex((address, port))
                    clients.append(client)
                pidfd = os.pidfd_open(publisher)
                self.addCleanup(os.close, pidfd)
                self.wait_until_full(publisher)
                for verb in ("unpublish", "publish", "unpublish", "publish"):
                    self.assertEqual(machine.run(verb, "s", str(port)).returncode, 0, verb)
                with self.assertRaises(TimeoutError):  # longer than its rest
                    self.wait_for(pidfd, 1.0)
                self.assertEqual(session.status()["network"]["published"], [str(port)])

    def wait_for(self, pidfd, seconds):
        if not select.select([pidfd], [], [], seconds)[0]:
            raise TimeoutError

    def wait_until_full(self, pid):
        until = time.monotonic() + 20
        while len(os.listdir(f"/proc/{pid}/fd")) < LIMIT - 2:
            self.assertLess(time.monotonic(), until, "the publisher has descriptors left")
            os.sched_yield()


if __name__ == "__main__":
    unittest.main(verbosity=2)
