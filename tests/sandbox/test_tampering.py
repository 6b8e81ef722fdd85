# SPDX-License-Identifier: Apache-2.0
"""What a session, another program of the user's, or an odd caller could turn against the host or against agentctl itself."""
import concurrent.futures
import contextlib
import os
import pathlib
import select
import signal
import socket
import stat
import subprocess
import time
import unittest

import processes
from machine import Machine
from pty_driver import PtyDriver
from waiting import wait_for_end


class Tampering(unittest.TestCase):
    def write_record(self, machine, session_id, original, **fields):
        """A record of a session that has lost its supervisor, with fields of our own choice."""
        lines = [line for line in original.splitlines() if line.split("=", 1)[0] not in fields]
        directory = machine.runtime / "agentctl" / session_id
        directory.mkdir(mode=0o700)
        lines += [f"{key}={value}" for key, value in fields.items()]
        (directory / "record").write_text("\n".join(lines) + "\n")
        return directory

    def test_no_kernel_setting_can_be_opened_for_writing(self):
        script = ("import os\n"
                  "for top, _, names in os.walk('/proc'):\n"
                  "    if top.startswith('/proc/self') or top.split('/')[2:3] and top.split('/')[2].isdigit(): continue\n"
                  "    for name in names:\n"
                  "        try: os.close(os.open(os.path.join(top, name), os.O_WRONLY | os.O_NONBLOCK))\n"
                  "        except OSError: continue\n"
                  "        print(os.path.join(top, name))\n")
        with Machine() as machine:
            done = machine.run("start", "-q", "--", "python3", "-c", script)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_a_sweep_kills_no_cgroup_but_the_session_s_own(self):
        with Machine() as machine, machine.session("true") as victim:
            status = victim.status()
            original = (machine.runtime / "agentctl" / status["id"] / "record").read_text()
            directory = self.write_record(machine, "deadbeef", original, ID="deadbeef", NAME="ghost",
                                          SUPERVISOR_PID=1, SUPERVISOR_START_TIME=1)
            done = machine.run("status")
            self.assertIn("ghost", done.stderr)
            self.assertFalse(directory.exists())
            self.assertEqual(victim.status()["state"], "running")
            self.assertIsNone(victim.supervisor.poll())

    def test_a_session_whose_record_is_large_is_seen_stopped_and_has_its_receipt(self):
        words = ["x" * 100_000] * 12
        with Machine() as machine:
            done = machine.run("start", "-q", "--detach", "--name", "large", "--", "sh", "-c", "sleep 1000", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            (record,) = [path / "record" for path in (machine.runtime / "agentctl").iterdir() if path.is_dir()]
            self.assertGreater(record.stat().st_size, 1 << 20)
            self.assertEqual(machine.status("large")["state"], "running")
            self.assertEqual(machine.run("stop", "large").returncode, 0)
            self.assertEqual(machine.run("receipt", "large").returncode, 0)
            processes.wait_for_all_to_end(machine.processes, 10)

    def test_a_record_that_cannot_be_read_just_now_stays(self):
        with Machine() as machine, machine.session("true") as session:
            record = machine.runtime / "agentctl" / session.known["id"] / "record"
            for descriptors in range(4, 16):
                subprocess.run(["sh", "-c", f"ulimit -n {descriptors}; exec {machine.agentctl} status"], env=machine.environment,
                               stdin=subprocess.DEVNULL, capture_output=True, check=False)
                self.assertTrue(record.exists(), descriptors)
            self.assertEqual(session.status()["state"], "running")

    def test_stop_kills_no_process_but_an_agentctl(self):
        with Machine() as machine, machine.session("true") as session:
            original = (machine.runtime / "agentctl" / session.status()["id"] / "record").read_text()
            with subprocess.Popen(["sleep", "1000"], env=machine.environment) as stranger:
                start_time = pathlib.Path(f"/proc/{stranger.pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
                self.write_record(machine, "deadbeef", original, ID="deadbeef", NAME="ghost",
                                  SUPERVISOR_PID=stranger.pid, SUPERVISOR_START_TIME=start_time)
                done = machine.run("stop", "--kill", "ghost")
                self.assertEqual(done.returncode, 1)
                self.assertIn("is no agentctl", done.stderr)
                self.assertIsNone(stranger.poll())
                stranger.kill()

    def test_records_that_are_none_are_removed_and_hold_nobody_up(self):
        with Machine() as machine, machine.session("true") as session:
            original = (machine.runtime / "agentctl" / session.status()["id"] / "record").read_text()
            records = machine.runtime / "agentctl"
            (records / "deadbee1").mkdir(mode=0o700)
            os.mkfifo(records / "deadbee1" / "record")
            (records / "deadbee2").mkdir(mode=0o700)
            (records / "deadbee2" / "record").write_text("#" * (2 << 20))
            self.write_record(machine, "deadbee3", original, ID="deadbee3", NAME="\x1b]0;owned\x07")
            done = machine.run("status", seconds=10)
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("\x1b", done.stdout + done.stderr)
            self.assertEqual([name for name in machine.records() if name.startswith("dead")], [])

    def test_clients_that_say_nothing_hold_up_neither_the_session_nor_a_stop(self):
        with Machine() as machine, machine.session("true") as session:
            control = machine.runtime / "agentctl" / session.status()["id"] / "control"
            with contextlib.ExitStack() as silent:
                for _ in range(12):
                    client = silent.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                    client.connect(str(control))
                began = time.monotonic()
                self.assertEqual(machine.run("stop", "--kill", session.status()["name"]).returncode, 0)
                self.assertLess(time.monotonic() - began, 2.0)  # twelve times half a second, one after the other, is more

    def test_starts_at_the_same_moment_get_names_of_their_own(self):
        with Machine() as machine:
            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                script = 'read line; :'
                starts = [machine.popen("start", "--", "sh", "-c", script, stdin=subprocess.PIPE) for _ in range(6)]
                ends = [pool.submit(start.communicate, "\n") for start in starts]
                errors = [end.result()[1] for end in ends]
            names = [receipt["name"] for receipt in machine.receipts()]
            self.assertEqual(len(names), 6, errors)
            overlapping = machine.run("start", "--name", names[0], "--", "true")
            self.assertEqual(overlapping.returncode, 0)

    def test_one_name_for_two_sessions_is_refused_to_the_second(self):
        with Machine() as machine:
            starts = [machine.popen("start", "--name", "same", "--", "sh", "-c", "read line", stdin=subprocess.PIPE)
                      for _ in range(4)]
            pidfds = {os.pidfd_open(start.pid): start for start in starts}
            ended = set()
            while len(ended) < 3:  # three are refused; the fourth waits for its line
                ready, _, _ = select.select(list(set(pidfds) - ended), [], [], 30)
                self.assertTrue(ready, "a second session has the same name")
                ended.update(ready)
            for pidfd, start in pidfds.items():
                _, errors = start.communicate("\n")
                self.assertEqual(start.returncode, 2 if pidfd in ended else 0, errors)
                os.close(pidfd)

    def test_a_home_that_is_missing_is_not_made(self):
        with Machine() as machine:
            home = machine.root / "nobody" / "home"
            done = machine.run("start", "--", "true", env={**machine.environment, "HOME": str(home)})
            self.assertEqual(done.returncode, 125)
            self.assertIn("home", done.stderr)
            self.assertFalse(home.parent.exists())

    def test_a_reader_that_does_not_read_cannot_hold_up_stop(self):
        with Machine() as machine:
            start = machine.popen("start", "--name", "s", "--", "sh", "-c", "echo up > .up; exec yes")
            try:
                select.select([start.stdout], [], [], 30)
                done = machine.run("stop", "--kill", "s")
                self.assertEqual((done.returncode, "does not answer" in done.stderr), (0, False), done.stderr)
                self.assertEqual(machine.receipts()[0]["cause"], "stopped")
            finally:
                start.communicate()

    def test_a_session_in_the_background_ends_with_its_shell_whatever_is_typed(self):
        with Machine() as machine:
            environment = dict(machine.environment, PS1="PROMPT$ ", HISTFILE="/dev/null", TERM="dumb")
            with PtyDriver(["bash", "--norc", "--noprofile", "-i"], environment, machine.project) as shell:
                shell.expect("PROMPT")
                command = " ".join(machine.start_argv("-q", "--name", "s", "--", "sh", "-c", "'echo UP; exec sleep 1000'"))
                shell.send(command + " &\n")
                shell.expect(r"UP\s*\n")
                mark = shell.mark()
                shell.send("echo typed-$((40 + 2))\n")
                shell.expect("typed-42", since=mark)
                supervisor = machine.status("s")["pids"]["supervisor"]
                os.kill(machine.status("s")["parent"]["pid"], signal.SIGKILL)
                wait_for_end(supervisor, 5)
            processes.wait_for_all_to_end(machine.processes, 5)

    def test_a_project_policy_that_is_a_link_is_not_read(self):
        with Machine() as machine:
            secret = machine.root / "secret"
            secret.write_text("hunter2 = here\n")
            (machine.project / ".agentctl.toml").symlink_to(secret)
            done = machine.run("start", "--", "true")
            self.assertEqual(done.returncode, 3)
            self.assertNotIn("hunter2", done.stderr)
            self.assertTrue(stat.S_ISLNK(os.lstat(machine.project / ".agentctl.toml").st_mode))


if __name__ == "__main__":
    unittest.main()
