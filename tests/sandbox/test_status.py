# SPDX-License-Identifier: Apache-2.0
"""What status, cgroup and the receipts say, held against what the kernel shows."""
import json
import os
import pathlib
import subprocess
import unittest

import processes
from machine import Machine
from ordinary_user import OrdinaryUser

KEYS = ["name", "id", "state", "profile", "project", "command", "parent", "started", "unit", "slice", "manager", "cgroup",
        "limits", "usage", "network", "tty", "pids", "sandbox", "warnings"]
INNER_KEYS = {"parent": {"kind", "pid"}, "cgroup": {"path", "id", "version"}, "limits": {"asked", "effective"},
              "network": {"mode", "allowed", "denied", "published", "allow", "deny", "last_denial"}, "pids": {"supervisor", "leader"},
              "sandbox": {"namespaces", "hidden", "writable"}}
USAGE_KEYS = {"memory", "memory_peak", "cpu_usec", "throttled_usec", "tasks", "io"}
LIMITS = ("--memory-max", "512M", "--swap-max", "0", "--cpu-quota", "70%", "--tasks-max", "300", "--cpu-weight", "50")


class Json(unittest.TestCase):
    def test_one_object_a_session_with_the_documented_keys(self):
        with Machine() as machine, machine.session(":", *LIMITS) as session:
            status = session.status()
            self.assertEqual(list(status), KEYS)
            for key, wanted in INNER_KEYS.items():
                self.assertEqual(set(status[key]), wanted, key)
            self.assertLessEqual(USAGE_KEYS, set(status["usage"]))
            self.assertEqual(machine.sessions()[0]["id"], status["id"])

    def test_each_value_is_what_the_kernel_says(self):
        with Machine() as machine, machine.session(":", *LIMITS) as session:
            status = session.status()
            self.assertEqual((status["state"], status["project"]), ("running", str(machine.project)))
            self.assertEqual(status["parent"], {"kind": "caller", "pid": os.getpid()})
            self.assertEqual(status["pids"]["supervisor"], session.supervisor.pid)
            self.assertEqual(processes.arguments(status["pids"]["leader"]), ["sleep", "1000"])
            self.assertEqual(status["cgroup"]["id"], os.stat(status["cgroup"]["path"]).st_ino)
            path = processes.cgroup_paths(status["pids"]["leader"])
            self.assertTrue(status["cgroup"]["path"].endswith(path.get("", path.get("name=systemd"))))
            self.assertEqual(status["unit"], os.path.basename(status["cgroup"]["path"]))
            self.assertEqual(status["manager"], "private" if machine.is_private else "user")
            self.assertEqual(status["sandbox"]["writable"], [str(machine.home / ".cache"), str(machine.project)])
            self.assertEqual(status["usage"]["tasks"], len(session.members()))

    def test_asked_and_effective_limits_are_equal_and_the_kernels(self):
        with Machine() as machine, machine.session(":", *LIMITS) as session:
            limits = session.status()["limits"]
            for knob, value in (("memory-max", 512 << 20), ("swap-max", 0), ("cpu-quota", 700_000), ("tasks-max", 300),
                                ("cpu-weight", 50)):
                self.assertEqual((limits["asked"][knob], limits["effective"][knob]), (value, value), knob)
            files = {"memory.limit_in_bytes": str(512 << 20), "memory.max": str(512 << 20), "pids.max": "300",
                     "cpu.cfs_quota_us": "70000", "cpu.max": "70000 100000"}
            found = {path.name: path.read_text().strip() for directory in processes.cgroups_named(session.known["unit"])
                     for path in pathlib.Path(directory).iterdir() if path.name in files}
            self.assertGreaterEqual(len(found), 3, found)
            for name, value in found.items():
                self.assertEqual(value, files[name], name)


class Text(unittest.TestCase):
    def test_the_cgroup_is_printed_for_tracers(self):
        with Machine() as machine, machine.session(":") as session:
            done = machine.run("cgroup", session.name)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, session.cgroup + "\n", ""))
            self.assertIn(session.leader, processes.members(done.stdout.strip()))

    def test_a_table_for_all_and_everything_for_one(self):
        with Machine() as machine, machine.session(":", *LIMITS) as session:
            table = machine.run("status").stdout.splitlines()
            self.assertEqual(table[0].split(), ["NAME", "STATE", "AGE", "MEMORY", "CPU", "TASKS", "PROJECT"])
            self.assertEqual(len([line for line in table if line.startswith("s ") and str(machine.project) in line]), 1)
            details = machine.run("status", "s").stdout
            for part in ("memory-max   asked 512.0M, effective 512.0M", session.cgroup, f"writable   {machine.project}",
                         f"supervisor {session.supervisor.pid}, agent {session.leader}"):
                self.assertIn(part, details)

    def test_a_session_is_named_by_any_beginning_that_only_it_has(self):
        with Machine() as machine:
            other = machine.home / "other"
            other.mkdir()
            with machine.session(":", name="alpha-one"), machine.session(":", name="alpha-two", cwd=other):
                self.assertEqual(machine.run("cgroup", "alpha-o").returncode, 0)
                self.assertEqual(machine.status("alpha-t")["project"], str(other))
                ambiguous = machine.run("cgroup", "alpha")
                self.assertEqual(ambiguous.returncode, 2)
                self.assertRegex(ambiguous.stderr, "^agentctl: 'alpha' is ambiguous\nhint: candidates: .*alpha-one, alpha-two\n$")
                stopped = machine.run("stop", "alpha")
                self.assertEqual(stopped.returncode, 2)
                self.assertEqual(len(machine.sessions()), 2)
                unknown = machine.run("status", "beta")
                self.assertEqual(unknown.returncode, 1)
                self.assertRegex(unknown.stderr, "^agentctl: session 'beta' not found\nhint: running: .*alpha-one.*\n$")

    def test_sessions_in_one_project_have_names_of_their_own(self):
        with Machine() as machine, machine.session(":"):
            other = machine.popen("start", "--", "sh", "-c", "echo up; exec sleep 1000", start_new_session=True)
            self.assertEqual(other.stdout.readline(), "up\n")
            names = [session["name"] for session in machine.sessions()]
            self.assertEqual(names, ["s", "sh-project"])
            scopes = {session["unit"] for session in machine.sessions()}
            self.assertEqual(len(scopes), 2)
            self.assertEqual(machine.run("stop", "sh-project").returncode, 0)
            other.communicate(timeout=10)
            self.assertEqual([session["name"] for session in machine.sessions()], ["s"])

    def test_a_session_without_limits_says_so_for_its_whole_life(self):
        with Machine() as machine:
            machine.is_private = False
            with machine.session(":", "--no-limits") as session:
                status = session.status()
                self.assertIn("no limits: the session runs without a scope", status["warnings"])
                self.assertEqual((status["limits"]["asked"]["memory-max"], status["cgroup"]["path"]), (None, ""))
                self.assertIn("none: started with --no-limits", machine.run("status", "s").stdout)
                done = machine.run("cgroup", "s")
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("hint: it was started with --no-limits", done.stderr)
                leader = status["pids"]["leader"]
                session.supervisor.kill()
                processes.wait_for_all_to_end(lambda: [leader] if processes.arguments(leader) else [], 2)


class Records(unittest.TestCase):
    """A record is a claim."""

    def test_records_that_nobody_stands_behind_are_swept_and_strangers_left_alone(self):
        with Machine() as machine, machine.session(":", name="alive") as session:
            directory = machine.runtime / "agentctl"
            text = (directory / session.known["id"] / "record").read_text()
            ours = f"SUPERVISOR_PID={session.supervisor.pid}"
            boot = next(line for line in text.splitlines() if line.startswith("BOOT_ID="))
            lies = {
                "00000001": text.replace(ours, f"SUPERVISOR_PID={os.getpid()}"),  # a reused pid
                "00000002": text.replace(boot, "BOOT_ID=another"),
                "00000003": "no record at all",
                "00000004": "",
            }
            for name, lie in lies.items():
                (directory / name).mkdir(mode=0o700)
                lie = lie.replace(session.known["id"], name).replace("NAME=alive", f"NAME=lie-{name}")
                (directory / name / "record").write_text(lie)
                (directory / name / "control").write_text("")
            (directory / "notes").mkdir()
            self.assertEqual([found["name"] for found in machine.sessions()], ["alive"])
            self.assertEqual(set(machine.records()), {session.known["id"], "notes"})
            self.assertTrue(pathlib.Path(session.cgroup).exists())
            self.assertEqual(session.status()["state"], "running")
            (directory / "notes").rmdir()

    def test_where_records_cannot_be_read_nothing_says_that_no_session_runs(self):
        with OrdinaryUser() as machine, machine.session(":") as session:
            place = machine.runtime / "agentctl"
            for closed in (place, place / session.known["id"]):
                mode = closed.stat().st_mode & 0o777
                closed.chmod(0)
                try:
                    for command in (["status"], ["status", "--json"], ["status", "s"], ["stop", "--all"], ["stop", "s"], ["start", "--", "true"]):
                        done = machine.run(*command)
                        self.assertEqual(done.returncode, 125 if command[0] == "start" else 1, (command, done.stderr))
                        self.assertRegex(done.stderr, f"cannot (read|open) '{closed}")
                        self.assertNotIn("no session", done.stderr)
                finally:
                    closed.chmod(mode)
            self.assertEqual(session.status()["state"], "running")

    def test_a_session_that_lives_is_never_swept_whatever_its_record_says(self):
        with Machine() as machine, machine.session(":") as session:
            place = machine.runtime / "agentctl" / session.known["id"]
            record, whole = place / "record", (place / "record").read_text()
            for damage in (whole[:40], "", "\0\1\2" * 100, None):
                with self.subTest(damage=damage):
                    record.unlink()
                    if damage is None:
                        record.symlink_to("nowhere")
                    else:
                        record.write_text(damage)
                    for command in (["status"], ["stop", "--all"], ["start", "--", "true"]):
                        done = machine.run(*command)
                        self.assertEqual(done.returncode, 125 if command[0] == "start" else 1, done.stderr)
                        self.assertIn(f"the record in '{place}' is damaged, and its session lives", done.stderr)
                    self.assertTrue((place / "control").exists())
                    record.unlink(missing_ok=True)
                    record.write_text(whole)
            record.chmod(0o600)
            self.assertEqual(session.status()["state"], "running")

    def test_a_session_of_another_pid_namespace_is_left_alone(self):
        with Machine() as machine, machine.session(":") as session:
            argv = ["unshare", "--pid", "--fork", "--mount-proc", machine.agentctl, "status"]
            done = subprocess.run(argv, env=machine.environment, cwd=machine.project, capture_output=True, text=True, timeout=30, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("'s' lives in another pid namespace", done.stderr)
            self.assertEqual(session.status()["state"], "running")

    def test_the_record_is_the_users_alone(self):
        with Machine() as machine, machine.session(":") as session:
            directory = machine.runtime / "agentctl" / session.known["id"]
            for path in (directory.parent, directory):
                self.assertEqual(path.stat().st_mode & 0o777, 0o700)
            self.assertEqual((directory / "record").stat().st_mode & 0o777, 0o600)

    def test_the_agent_sees_neither_record_nor_control_socket(self):
        with Machine() as machine:
            places = f"{machine.runtime} {machine.runtime}/agentctl /run/agentctl"
            done = machine.start(f"ls -a {places} 2>/dev/null; find / -name control -type s 2>/dev/null")
            self.assertNotIn("record", done.stdout)
            self.assertNotIn("control", done.stdout)

    def test_the_receipt_tells_how_it_ended_and_what_it_used(self):
        with Machine() as machine:
            done = machine.start("exit 7", *LIMITS)
            used = r"memory peak .* of 512\.0M; CPU .*; tasks \d of 300\n$"
            self.assertRegex(done.stderr, "agentctl: sh-project: exited with 7 after .*; " + used)
            receipt, = machine.receipts()
            self.assertEqual((receipt["cause"], receipt["exit_status"], receipt["limits"]["tasks-max"]), ("exited", 7, 300))
            self.assertGreater(receipt["usage"]["memory_peak"], 0)
            self.assertEqual(json.dumps(receipt["command"]), json.dumps(["sh", "-c", "exit 7"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
