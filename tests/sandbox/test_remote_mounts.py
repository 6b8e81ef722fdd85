# SPDX-License-Identifier: Apache-2.0
"""File systems that stopped answering: a start may never hang on them (FS-12)."""
import json
import os
import time
import unittest

import remote_mounts
from machine import Machine
from mask_view import MaskView
from remote_mounts import MS_REC, automount, fuse

SECONDS = 2.0
MS_SHARED = 0x100000


def setUpModule():
    remote_mounts.own_mounts()


class Timed(unittest.TestCase):
    def start(self, machine, script, *options, **popen_options):
        """Whatever is dead: the whole session, its end included, takes less than two seconds."""
        began = time.monotonic()
        done = machine.start(script, *options, seconds=20, **popen_options)
        self.assertLess(time.monotonic() - began, SECONDS, done.stderr)
        return done

    def policy(self, machine, text):
        path = machine.home / ".config/agentctl/policy.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Below(Timed):
    def test_fs_12_a_dead_mount_in_the_project_is_an_empty_directory_inside_and_is_told(self):
        with Machine() as machine, fuse(machine.project / "sub/dead") as mount:
            mount.stop()
            done = self.start(machine, "ls -A sub sub/dead; cat sub/dead/file; touch sub/dead/new sub/beside")
            self.assertEqual(done.stdout, "sub:\ndead\n\nsub/dead:\n")
            self.assertIn("sub/dead/file: No such file", done.stderr)
            self.assertIn("sub/dead/new': Read-only", done.stderr.replace("\u2018", "'").replace("\u2019", "'"))
            self.assertIn(f"warning: files: '{mount.place}' (fuse.agentctl-test) does not answer", done.stderr)
            self.assertTrue((machine.project / "sub/beside").exists())

    def test_fs_12_a_mount_that_answers_is_shown_as_it_is(self):
        with Machine() as machine, fuse(machine.project / "alive"):
            done = self.start(machine, "ls alive; cat alive/file")
            self.assertEqual(done.stdout, "file\nremote content\n")
            self.assertNotIn("answer", done.stderr)

    def test_fs_12_the_rest_of_a_read_only_home_is_shown_without_its_dead_mounts(self):
        with Machine() as machine, fuse(machine.home / "nas") as first, fuse(machine.home / "work/share") as second:
            self.policy(machine, '[files]\nhome = "read-only"\n')
            (machine.home / "work/notes").write_text("notes\n")
            first.stop()
            second.stop()
            done = self.start(machine, "cat ~/work/notes; ls -A ~/nas ~/work/share")
            self.assertEqual(done.stdout, f"notes\n{machine.home}/nas:\n\n{machine.home}/work/share:\n")
            self.assertEqual(done.stderr.count("does not answer"), 2)

    def test_fs_12_an_automount_point_is_not_set_off_by_a_start_and_is_told(self):
        with Machine() as machine, automount(machine.project / "auto") as requests, automount(machine.home / "net") as others:
            self.policy(machine, '[files]\nhome = "read-only"\nhide = ["**/.env"]\n')
            for pipe in (requests, others):
                os.set_blocking(pipe, False)
            done = self.start(machine, "ls -A auto ~/net; touch ran")
            self.assertEqual(done.stdout, f"{machine.home}/net:\n\nauto:\n")
            self.assertEqual(done.stderr.count("nothing has used the automount point"), 2)
            for pipe in (requests, others):
                with self.assertRaises(BlockingIOError):
                    os.read(pipe, 1)

    def test_fs_12_a_glob_looks_neither_into_a_dead_mount_nor_into_an_automount_point(self):
        with Machine() as machine, fuse(machine.project / "dead") as mount, automount(machine.project / "auto"):
            mount.stop()
            (machine.project / "a").mkdir()
            (machine.project / "a/.env").write_text("secret")
            done = self.start(machine, "cat a/.env; ls", "--hide", "**/.env")
            self.assertEqual(done.stdout, "a\nauto\ndead\n")

    def test_fs_12_a_mount_that_dies_while_the_session_runs_does_not_hold_up_its_end(self):
        with Machine() as machine, fuse(machine.project / "share") as mount:
            with machine.session("cat share/file > copy", "-q") as session:
                self.assertEqual((machine.project / "copy").read_text(), "remote content\n")
                mount.stop()
                began = time.monotonic()
                machine.run("stop", session.name, seconds=20)
                session.finish()
                self.assertLess(time.monotonic() - began, SECONDS)


class Named(Timed):
    def test_fs_12_a_dead_mount_that_a_policy_names_is_refused_with_its_name_or_left_out_if_optional(self):
        with Machine() as machine, fuse(machine.home / "nas") as mount:
            (machine.home / "docs").symlink_to("nas/docs")
            mount.stop()
            for named in (mount.place, mount.place / "file", machine.home / "docs"):
                done = self.start(machine, "touch ran", "--ro", str(named))
                self.assertEqual(done.returncode, 3)
                self.assertIn(f"cannot be looked at: '{mount.place}' (fuse.agentctl-test) does not answer", done.stderr)
                self.assertFalse((machine.project / "ran").exists())
            self.policy(machine, '[files]\nread-write = ["~/nas"]\nhide = ["~/nas/secret"]\noptional = ["~/nas"]\n')
            done = self.start(machine, "ls ~/nas")
            self.assertIn(f"files: ~/nas is left out: '{mount.place}'", done.stderr)
            self.assertIn("No such file", done.stderr)

    def test_fs_12_an_automount_point_that_a_policy_names_is_used_and_refused_when_nobody_answers(self):
        with Machine() as machine, automount(machine.home / "net") as requests:
            done = self.start(machine, "touch ran", "--ro", str(machine.home / "net"))
            self.assertEqual(done.returncode, 3)
            self.assertIn("(autofs) does not answer", done.stderr)
            os.set_blocking(requests, False)
            self.assertTrue(os.read(requests, 1))  # somebody was asked

    def test_fs_12_path_home_and_variables_that_lead_to_dead_mounts_do_not_hold_up_a_start(self):
        with Machine() as machine, fuse(machine.root / "mnt/one") as one, fuse(machine.root / "mnt/two") as two:
            (machine.home / ".local").mkdir()
            (machine.home / ".local/bin").symlink_to(one.place / "bin")
            (machine.home / ".gitconfig").symlink_to(two.place / "gitconfig")
            (machine.home / ".nvm").symlink_to(two.place)
            machine.environment.update(PATH=f"{one.place}/bin:{machine.environment['PATH']}", SSL_CERT_FILE=f"{two.place}/ca.pem",
                                       TERMINFO=str(one.place), SHELL=f"{two.place}/zsh", SSH_AUTH_SOCK=f"{two.place}/agent")
            one.stop()
            two.stop()
            self.policy(machine, '[allow]\nsockets = ["ssh-agent"]\n')
            done = self.start(machine, 'echo "$PATH"; echo "${SSL_CERT_FILE-none} ${TERMINFO-none} $SHELL"')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("mnt/", done.stdout)
            self.assertTrue(done.stdout.endswith("none none /bin/sh\n"), done.stdout)
            listed = machine.run("profile", "list", seconds=5)
            self.assertEqual(listed.returncode, 0)

    def test_fs_12_explain_does_not_wait_for_a_dead_mount_either(self):
        with Machine() as machine, fuse(machine.project / "dead") as mount, fuse(machine.home / "nas") as other:
            mount.stop()
            other.stop()
            for place, inside in ((mount.place / "file", "hidden"), (other.place / "file", "absent")):
                began = time.monotonic()
                answer = json.loads(machine.run("explain", "--json", str(place), seconds=20).stdout)
                self.assertLess(time.monotonic() - began, SECONDS)
                self.assertEqual(answer["inside"], inside)


class Later(unittest.TestCase):
    def test_what_the_host_mounts_during_a_session_does_not_arrive_where_it_could_be_written(self):
        with Machine() as machine:
            remote_mounts.mount("none", "/", None, MS_REC | MS_SHARED)  # as systemd has it
            places = [machine.home / "notes/stick", machine.project / "stick"]
            for place in places:
                place.mkdir(parents=True)
            with machine.session("true", "-q", "--ro", str(machine.home / "notes")) as session:
                mounted = []
                try:
                    for place in places:
                        remote_mounts.mount("stick", place, "tmpfs", 0, "mode=0777")
                        mounted.append(place)
                        (place / "content").write_text("of the host\n")
                    view = MaskView(session)
                    for place in places:
                        self.assertFalse(view.is_mount_point(place))
                        self.assertEqual(os.listdir(view / place), [])
                finally:
                    for place in mounted:
                        remote_mounts.call(remote_mounts.LIBC.umount2, os.fsencode(place), remote_mounts.MNT_DETACH)
                    remote_mounts.mount("none", "/", None, MS_REC | remote_mounts.MS_PRIVATE)

    def test_no_mount_of_a_session_takes_part_in_those_of_the_host(self):
        with Machine() as machine:
            remote_mounts.mount("none", "/", None, MS_REC | MS_SHARED)
            try:
                with machine.session("true", "-q") as session:
                    with open(f"/proc/{session.leader}/mountinfo", encoding="utf-8") as table:
                        fields = [line.split(" - ")[0].split()[6:] for line in table]
                    self.assertGreater(len(fields), 10)
                    self.assertEqual([field for field in fields if field], [])
            finally:
                remote_mounts.mount("none", "/", None, MS_REC | remote_mounts.MS_PRIVATE)


class Project(Timed):
    def refuses(self, machine, done, place, mount):
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn(f"cannot use '{place}': '{mount}' (fuse.agentctl-test) does not answer\nhint: ", done.stderr)
        self.assertEqual(machine.records(), [])

    def test_fs_12_a_project_on_a_mount_that_answers_works(self):
        with Machine() as machine, fuse(machine.home / "nas") as mount:
            done = self.start(machine, "pwd; cat file", cwd=mount.place)
            self.assertEqual(done.stdout, f"{mount.place}\nremote content\n", done.stderr)

    def test_fs_12_a_project_on_a_dead_mount_is_refused_with_its_name(self):
        with Machine() as machine, fuse(machine.home / "nas") as mount:
            link = machine.home / "link"
            link.symlink_to("nas/project")
            before = os.getcwd()
            os.chdir(mount.place)
            try:
                mount.stop()
                self.refuses(machine, self.start(machine, "true", cwd=None), mount.place, mount.place)
            finally:
                os.chdir(before)
            self.refuses(machine, self.start(machine, "true", "-C", str(link)), link, mount.place)

    def test_fs_12_a_home_on_a_dead_mount_is_refused_with_its_name(self):
        with Machine() as machine, fuse(machine.root / "nas") as mount:
            mount.stop()
            home = machine.environment["HOME"]
            machine.environment["HOME"] = str(mount.place)
            try:
                self.refuses(machine, self.start(machine, "true"), mount.place, mount.place)
            finally:
                machine.environment["HOME"] = home


if __name__ == "__main__":
    unittest.main()
