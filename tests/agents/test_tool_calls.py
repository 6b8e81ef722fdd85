# SPDX-License-Identifier: Apache-2.0
"""A real agent, headless, in a session: its tool calls work in the project and nowhere else."""
import os
import pathlib
import sys
import unittest

from session import SECRET, START_SECONDS, Scratch

LIMITS = ["memory-max", "swap-max", "cpu-quota", "tasks-max"]
GIB = 1 << 30


def kernel_memory_limit(cgroup):
    """The limit in the kernel's own file: of cgroup v2, or of the same path in the v1 hierarchy."""
    for file in ("memory.max", "memory.limit_in_bytes"):
        path = pathlib.Path(cgroup) / file
        if path.exists():
            return int(path.read_text())
    v1 = pathlib.Path(cgroup.replace("/unified/", "/memory/", 1)) / "memory.limit_in_bytes"
    return int(v1.read_text())


class ToolCalls(unittest.TestCase):
    agent = ""

    def test_work_in_the_project_and_nowhere_else(self):
        with Scratch(self.agent) as scratch:
            scratch.make_pipe(".ready")
            scratch.make_pipe(".go-on", os.O_RDWR)
            prompt = "\n".join([
                "RUN: echo made by a tool call > made.txt",
                "RUN: cat ~/.fake-creds",
                f"RUN: cat {scratch.home}/.fake-creds /proc/1/root{scratch.home}/.fake-creds",
                f"RUN: touch {scratch.outside}/escaped",
                "RUN: touch /etc/agentctl-escaped /usr/agentctl-escaped",
                "RUN: echo changed > ~/.gitconfig",
                "RUN: echo ready > .ready; read word < .go-on; cat /proc/self/cgroup",
            ])
            session = scratch.start(["--name", "tools", "--memory-max", "1G", "--tasks-max", "500"], scratch.agent.headless(prompt))
            try:
                scratch.hear(".ready", session)
                status = scratch.status("tools")
                memory_limit = kernel_memory_limit(scratch.query("cgroup", "tools").strip())
                scratch.let_go(".go-on")
                output, errors = session.communicate(timeout=START_SECONDS)
            except Exception as error:
                raise AssertionError(f"{error}\n--- agentctl said\n{scratch.end(session)}") from error
            said = f"\n--- stdout\n{output}\n--- stderr\n{errors}"
            self.assertEqual(session.returncode, 0, said)
            self.assertIn("FAKE-DONE steps=7", output, said)

            with self.subTest("the tool call's file is in the project"):
                self.assertEqual((scratch.project / "made.txt").read_text(), "made by a tool call\n")
            with self.subTest("no tool result held the planted credentials"):
                results = scratch.model.tool_results("made.txt")
                self.assertEqual(len(results), 7)
                self.assertFalse([result for result in results if SECRET in result])
                self.assertIn("No such file", results[1])
            with self.subTest("nothing was written outside of the project"):
                self.assertEqual(os.listdir(scratch.outside), [])
                self.assertEqual((scratch.home / ".fake-creds").read_text(), SECRET)
                self.assertFalse((scratch.home / ".gitconfig").exists())
                self.assertFalse(os.path.exists("/etc/agentctl-escaped") or os.path.exists("/usr/agentctl-escaped"))
            with self.subTest("status told the truth while it ran"):
                self.assertEqual(status["state"], "running")
                self.assertEqual(status["profile"], self.agent)
                self.assertEqual(status["project"], str(scratch.project))
                asked, effective = status["limits"]["asked"], status["limits"]["effective"]
                self.assertEqual({key: asked[key] for key in LIMITS}, {key: effective[key] for key in LIMITS})
                self.assertEqual(asked["memory-max"], GIB)
                self.assertEqual(memory_limit, GIB)
                self.assertEqual(asked["tasks-max"], 500)
                self.assertGreater(status["usage"]["memory"], 0)
            with self.subTest("its own cgroup was the root of what it saw"):
                self.assertIn("0::/", scratch.model.tool_results("made.txt")[6])
            with self.subTest("the receipt says how it ended"):
                self.check_receipt(scratch)
                self.assertIn("tools: exited with 0", errors)
            with self.subTest("no session is left"):
                self.assertEqual(scratch.query("status", "--json").split(), ["[]"])

    def check_receipt(self, scratch):
        receipts = scratch.receipts()
        self.assertEqual([receipt["name"] for receipt in receipts], ["tools"])
        receipt = receipts[0]
        self.assertEqual((receipt["cause"], receipt["exit_status"]), ("exited", 0))
        self.assertEqual(receipt["limits"]["memory-max"], GIB)
        self.assertGreater(receipt["usage"]["memory_peak"], 10 << 20)
        self.assertGreater(receipt["usage"]["cpu_usec"], 0)
        self.assertEqual(receipt["killed"], [])


if __name__ == "__main__":
    ToolCalls.agent = sys.argv.pop(1)
    unittest.main(verbosity=2)
